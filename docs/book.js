// SPDX-License-Identifier: GPL-2.0-or-later
// The search of the book: index.js has `entries`, of a name, where it is, what it is, and the page. A name that is the text comes first,
// then those that begin with it, those that have it in them, and those whose description has all of its words.
const find = document.getElementById("find"), found = document.getElementById("found"), contents = document.getElementById("contents");
const MOST = 60;

const rank = (entry, text, words) => {
	const name = entry[0].toLowerCase();
	if (name === text)
		return 0;
	if (name.startsWith(text))
		return 1;
	if (name.includes(text))
		return 2;
	const all = (name + " " + entry[2] + " " + entry[3]).toLowerCase();
	return words.every(word => all.includes(word)) ? 3 : 4;
};

const show = () => {
	const text = find.value.trim().toLowerCase(), words = text.split(/\s+/);
	const hits = text ? entries.map(entry => [rank(entry, text, words), entry]).filter(hit => hit[0] < 4) : [];

	hits.sort((a, b) => a[0] - b[0] || a[1][0].length - b[1][0].length);
	found.hidden = !text;
	contents.hidden = !!text;
	found.replaceChildren(...hits.slice(0, MOST).map(([, entry], i) => {
		const item = document.createElement("li"), link = document.createElement("a"), name = document.createElement("code"), what = document.createElement("small");

		link.href = entry[1];
		name.textContent = entry[0];
		what.textContent = entry[3];
		link.append(name, entry[2] ? entry[2] + " " : "", what);
		item.className = i ? "" : "first";
		item.append(link);
		return item;
	}));
	if (text && !hits.length)
		found.textContent = "Nothing is called so.";
};

find.addEventListener("input", show);
find.addEventListener("keydown", event => {
	if (event.key === "Enter" && found.querySelector("a"))
		location.href = found.querySelector("a").href;
	if (event.key === "Escape") {
		find.value = "";
		show();
	}
});
document.addEventListener("keydown", event => {
	if (event.key === "/" && document.activeElement !== find) {
		event.preventDefault();
		find.focus();
	}
});
const here = contents.querySelector(".here");
if (here)
	here.scrollIntoView({ block: "center" });
if (location.search.startsWith("?find=")) {
	find.value = decodeURIComponent(location.search.slice(6));
	show();
}
