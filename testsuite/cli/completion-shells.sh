# SPDX-License-Identifier: GPL-2.0-or-later
# zsh and fish complete on a terminal, by the files that are installed: what is behind the word when Tab has been pressed.
. "$SUITE/lib.sh"
command -v tmux >/dev/null || skip "tmux is not installed"
mkdir bin config
ln -s "$SPILE" bin/spile
ln -s "$SPILE_RUN" bin/spile-run
cat >config/.zshrc <<Z
PS1='> '
fpath=("$TOP/packaging/completion" \$fpath)
autoload -U compinit && compinit -u -D
echo begun
Z
mkdir -p config/fish/completions
cp "$TOP"/packaging/completion/*.fish config/fish/completions
echo 'function fish_greeting; echo begun; end; function fish_prompt; echo -n "> "; end' >config/fish/config.fish

# A server for each shell: one that is ending would take the next one's session with it.
terminal() { tmux -S "$PWD/tmux.$shell" -f /dev/null "$@"; }
shows() { terminal capture-pane -p -J | grep -qE -- "$1"; }
asks() { terminal capture-pane -p -J | grep . | tail -n 1 | grep -qE '^> *$'; } # for the next line
is_clear() { asks && ! shows '^> *[^ ]'; }
trap 'terminal kill-server 2>/dev/null' EXIT
# completes WORDS WANT: the line, once Tab has been pressed.
completes()
{
	terminal send-keys -l "$1"
	terminal send-keys Tab
	for i in $(seq 200); do
		shows "^> $2" && break
		sleep 0.1
	done
	shows "^> $2" || { terminal capture-pane -p; fail "$shell: $1: not completed to $2"; }
	# What is typed before the shell asks again may be lost.
	terminal send-keys C-c
	wait_for 20 asks
	terminal send-keys C-l
	wait_for 20 is_clear
}

ran=
for shell in zsh fish; do
	command -v $shell >/dev/null || continue
	terminal new-session -d -x 120 -y 30 "env PATH=$PWD/bin:$PATH HOME=$PWD ZDOTDIR=$PWD/config XDG_CONFIG_HOME=$PWD/config $shell -i"
	wait_for 40 shows '^begun'
	completes 'spile --flamegr' 'spile --flamegraph='
	completes 'spile --suppress-h' 'spile --suppress-handler-errors'
	completes 'spile opensn' 'spile opensnoop'
	completes 'spile pack ver' 'spile pack verify'
	completes 'spile cache pr' 'spile cache prune'
	completes 'spile -l timer.pro' 'spile -l timer\.profile'
	completes "spile -e 'probe timer.pro" "spile -e 'probe timer\\.profile"
	completes "spile -e 'probe begin { print_backtrace_f" "spile -e 'probe begin \\{ print_backtrace_fileline"
	completes 'spile-run --desc' 'spile-run --describe'
	completes 'spile-run --require' 'spile-run --require-signature'
	terminal kill-server
	ran=yes
done
[ "$ran" ] || skip "neither zsh nor fish is installed"
