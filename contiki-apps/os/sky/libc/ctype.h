/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTYPE_H_
#define CTYPE_H_

int isdigit(int character);
int isxdigit(int character);
int isalpha(int character);
int isalnum(int character);
int isupper(int character);
int islower(int character);
int isspace(int character);
int isprint(int character);
int ispunct(int character);
int iscntrl(int character);
int toupper(int character);
int tolower(int character);

#endif
