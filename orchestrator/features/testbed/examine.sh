# What is on a gateway, as lines `word value...`. $1: our folder there; then triples: a mote's name, its device,
# its rate. Runs in any POSIX shell with coreutils or busybox, in the user's home folder.
root=$1
shift
say() { printf '%s %s\n' "$1" "$2"; }
say system "$(uname -srm 2>/dev/null)"
say clock "$(date +%s)"
for tool in python3 sha256sum stty cat timeout; do
  command -v "$tool" >/dev/null 2>&1 && say tool "$tool"
done
python=$(python3 -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) && say python "$python"
free=$(df -Pk . 2>/dev/null | awk 'NR == 2 { print $4 }')
say free "${free:-0}"
for path in /dev/serial/by-id/*; do
  [ -e "$path" ] && say device "$path"
done
[ -L "$root" ] && say link "$root"
while [ $# -ge 3 ]; do
  mote=$1 device=$2 baud=$3
  shift 3
  real=$(readlink -f "$device" 2>/dev/null)
  if [ ! -e "$device" ]; then
    say absent "$mote"
  elif [ ! -c "$device" ]; then
    say "no-device" "$mote"
  elif [ ! -r "$device" ] || [ ! -w "$device" ]; then
    say forbidden "$mote $(id -un 2>/dev/null)"
  else
    say present "$mote $real"
    # What the USB device says of itself; the tty's folder in /sys lies below it.
    up=$(readlink -f "/sys/class/tty/${real##*/}/device" 2>/dev/null)
    while [ -n "$up" ] && [ "$up" != / ]; do
      if [ -r "$up/idVendor" ]; then
        say usb "$mote $(cat "$up/idVendor"):$(cat "$up/idProduct" 2>/dev/null) $(cat "$up/product" 2>/dev/null)"
        break
      fi
      up=${up%/*}
    done
  fi
  for kind in flashed failed; do
    file=$root/state/$kind/$mote
    [ -f "$file" ] && [ ! -L "$file" ] && say "$kind" "$mote $(head -c 2000 "$file" | head -n 1)"
  done
done
exit 0  # whatever the last test found
