# The curve of speed against error of one picture and format, from bench_block's table, as an SVG:
#   build/release/bench/bench_block --only bc7 four.png | awk -v picture=four -v format=bc7 -f bench/curve.awk > bc7-curve.svg
# Ours are dots, peers squares; names stand beside them.

function x_of(mpix) { return left + (log(mpix) - log(slowest)) / (log(fastest) - log(slowest)) * width }
function y_of(db) { return top + (most - db) / (most - least) * height }
function text(x, y, anchor, what) { printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, what }
function line(x1, y1, x2, y2, colour) { printf "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\"/>\n", x1, y1, x2, y2, colour }

$1 == picture && $2 == format && $0 !~ /thread/ {
	peer = $3 == "bc7enc"
	at = peer ? 4 : 3
	name = ""
	while ($at !~ /^[0-9.]+$/) name = name (name == "" ? "" : " ") $(at++)
	if ($at + 0 <= 0) next
	names[++count] = peer ? "bc7enc " name : name
	peers[count] = peer
	speed[count] = $at
	quality[count] = $(at + 1)
}

END {
	if (count == 0) { print "curve.awk: no rows of " picture ", " format > "/dev/stderr"; exit 1 }
	left = 60; top = 30; width = 560; height = 300
	slowest = 1e9; fastest = 0; least = 1e9; most = 0
	for (i = 1; i <= count; i++) {
		if (speed[i] < slowest) slowest = speed[i]
		if (speed[i] > fastest) fastest = speed[i]
		if (quality[i] < least) least = quality[i]
		if (quality[i] > most) most = quality[i]
	}
	slowest = 10 ^ (int(log(slowest) / log(10) + 10) - 10); fastest = 10 ^ (int(log(fastest) / log(10) + 10.999) - 10)
	least = int(least - 0.2); most = int(most + 1.2)
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\" fill=\"none\">\n",
		left + width + 40, top + height + 50
	print "<path d=\"M0 0H1000V1000H0Z\" fill=\"#fff\"/><g fill=\"#333\">"
	for (decade = slowest; decade <= fastest * 1.001; decade *= 10) {
		line(x_of(decade), top, x_of(decade), top + height, "#ddd")
		text(x_of(decade), top + height + 18, "middle", decade)
	}
	for (db = least; db <= most; db++) {
		line(left, y_of(db), left + width, y_of(db), "#ddd")
		text(left - 8, y_of(db) + 4, "end", db)
	}
	text(left + width / 2, top + height + 40, "middle", "million texels a second, one thread")
	text(left, top - 12, "start", "dB of " format " on \"" picture "\": upper right is better")
	print "</g>"
	for (kind = 0; kind < 2; kind++) {
		colour = kind ? "#b04030" : "#1f6fb5"
		path = ""
		for (i = 1; i <= count; i++) if (peers[i] == kind) path = path (path == "" ? "M" : "L") sprintf("%.1f %.1f", x_of(speed[i]), y_of(quality[i]))
		print "<path d=\"" path "\" stroke=\"" colour "\"/><g fill=\"" colour "\">"
		for (i = 1; i <= count; i++) if (peers[i] == kind) {
			x = x_of(speed[i]); y = y_of(quality[i])
			printf kind ? "<path d=\"M%.1f %.1fh8v8h-8z\"/>\n" : "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>\n", kind ? x - 4 : x, kind ? y - 4 : y
			text(x + (kind ? -8 : 8), y + (kind ? 16 : -8), kind ? "end" : "start", names[i])
		}
		print "</g>"
	}
	print "</svg>"
}
