// Among the graphs of resamples: how often a pair is adjacent, and which way its edge points.
const shares = report.shares ?? null;
const countsOf = new Map((shares?.pairs ?? []).map(([x, y, ...counts]) => [pairKey(x, y), counts]));

// The counts of a pair as seen from a.
function pairCounts(a, b) {
  if (isPag) return markCountsOf(a, b);
  const [forward, backward, undirected] = countsOf.get(pairKey(a, b)) ?? [0, 0, 0];
  const adjacent = forward + backward + undirected;
  return a < b ? { forward, backward, undirected, adjacent } : { forward: backward, backward: forward, undirected, adjacent };
}

function share(count) {
  return count / shares.resamples;
}

// In percent, without decimals; a share rounded to none or to all is not taken for it.
function percent(count) {
  const rounded = Math.round(100 * share(count));
  if (count && !rounded) return "< 1 %";
  return count < shares.resamples && rounded === 100 ? "> 99 %" : `${rounded} %`;
}

// How far the graphs disagree about a pair: on whether there is an edge, or on which way it points.
function doubt({ forward, backward, undirected, adjacent }) {
  const among = share(adjacent);
  return Math.max(Math.min(among, 1 - among), share(adjacent - Math.max(forward, backward, undirected)));
}

// The sentence of net.explain, with names that can be clicked.
function shareWords(a, b) {
  const { forward, backward, undirected, adjacent, words } = pairCounts(a, b);
  if (words) return [words];
  const all = `of ${shares.resamples} resamples`;
  if (!adjacent) return [`Adjacent in none ${all}.`];
  const ways = [
    [forward, a, b],
    [backward, b, a],
  ]
    .filter(([count]) => count)
    .sort((one, other) => other[0] - one[0]);
  const nodes = [`Adjacent in ${adjacent} ${all}`];
  for (const [count, tail, head] of ways) {
    nodes.push(", from ", nameButton(tail, spoken[tail]), " to ", nameButton(head, spoken[head]), ` in ${count}`);
  }
  if (undirected) nodes.push(`, undirected in ${undirected}`);
  return [...nodes, "."];
}

// What the panel says of a pair beside the evidence for the learned graph; nothing without resamples.
function resampled(a, b) {
  if (!shares) return [];
  const parts = [make("p", { class: "sentence" }, ...shareWords(a, b))];
  if (onView !== learned) parts.push(make("p", { class: "in-consensus", text: consensusWords(a, b) }));
  return [make("div", { class: "resampled" }, ...parts)];
}
