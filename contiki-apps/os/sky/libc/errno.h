/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ERRNO_H_
#define ERRNO_H_

extern int errno;
enum { EDOM = 1, ERANGE, EINVAL, ENOMEM, EAGAIN, EBUSY, EIO, ENOENT };

#endif
