# What a gateway keeps of ours, and which of some files it really has, as lines `word value...`, in one round trip.
# $1: our folder there; $2: a nonce; then the names of files in its store. A file's answer is the SHA-256 of the
# nonce and its content: nobody can give it who has only seen checksums. Nothing but our folder is written to.
root=$1 nonce=$2
shift 2
umask 077
if [ -L "$root" ]; then echo link; exit 3; fi
mkdir -p "$root/store" "$root/state/flashed" "$root/state/failed" || exit 4
echo "home $(pwd -P)"
echo "clock $(date +%s)"
[ -f "$root/state/reservation" ] && echo "reserved $(head -c 2000 "$root/state/reservation" | head -n 1)"
for kind in flashed failed; do
  for file in "$root/state/$kind"/*; do
    [ -f "$file" ] && echo "$kind ${file##*/} $(head -c 2000 "$file" | head -n 1)"
  done
done
for name in "$@"; do
  file=$root/store/$name
  if [ -f "$file" ] && [ ! -L "$file" ]; then
    sum=$({ printf %s "$nonce"; cat "$file"; } | sha256sum) && echo "have $name ${sum%% *}"
  elif [ -f "$file.part" ] && [ ! -L "$file.part" ]; then
    sum=$({ printf %s "$nonce"; cat "$file.part"; } | sha256sum)
    echo "part $name $(wc -c < "$file.part") ${sum%% *}"
  fi
done
exit 0
