#!/bin/sh
# Gets the documents of the evaluation over documentation: packages of Debian 12 (or newer), unpacked below a folder.
# Needs apt-get and dpkg, no root. Usage: evals/knowledge/corpora/documentation.sh [FOLDER]
set -eu
folder=${1:-.tmp/documentation}
mkdir -p "$folder/packages"
cd "$folder/packages"
python=$(apt-cache depends python3-doc | sed -n 's/.*Depends: \(python3\.[0-9]*-doc\)$/\1/p' | head -n 1)
apt-get download sqlite3-doc git-doc vim-doc perl-doc "$python"
for package in *.deb; do dpkg -x "$package" ..; done
rm -r ../packages
