# Prints what a gateway keeps for us, and which of some files it really has, as lines `word value...`, in one round
# trip. $1: our folder there; $2: a nonce; $3: its Python, or nothing; then the names of files in its store. A file's
# answer is the SHA-256 of the nonce and its content: nobody can give it who has only seen checksums. It writes to nothing but our folder.
root=$1 nonce=$2 python=$3
shift 3
umask 077
# `echo` of some shells changes backslashes, so that values go by printf.
say() { printf '%s\n' "$*"; }
if [ -L "$root" ]; then say link; exit 3; fi
[ -d "$root/state/failed" ] || mkdir -p "$root/store" "$root/state/flashed" "$root/state/failed" || exit 4
say "home $(pwd -P)"
say "clock $(date +%s)"
[ -n "$python" ] && command -v "$python" > /dev/null && say "python"
[ -f "$root/state/reservation" ] && say "reserved $(head -c 2000 "$root/state/reservation" | head -n 1)"
# Runs that nobody has collected: `run NAME`, logged by the daemon or without Python.
for file in "$root"/daemon/runs/* "$root"/plain/*; do
  [ -d "$file" ] && [ ! -L "$file" ] && say "run ${file##*/}"
done
# `flashed MOTE record`, `failed MOTE record`; by two processes for all motes, as a small gateway takes ms for one.
(cd "$root/state" && find flashed failed -type f ! -name '.*' -exec awk '
  FNR == 1 {
    cut = index(FILENAME, "/")
    print substr(FILENAME, 1, cut - 1), substr(FILENAME, cut + 1), substr($0, 1, 2000)
  }
' {} +)
for name in "$@"; do
  file=$root/store/$name
  if [ -f "$file" ] && [ ! -L "$file" ]; then
    sum=$(printf %s "$nonce" | cat - "$file" | sha256sum) && say "have $name ${sum%% *}"
  elif [ -f "$file.part" ] && [ ! -L "$file.part" ]; then
    sum=$(printf %s "$nonce" | cat - "$file.part" | sha256sum)
    say "part $name $(wc -c < "$file.part") ${sum%% *}"
  fi
done
exit 0
