// The judges of larder: other people's readers of glTF and KTX against what larder makes of the same files.
//
//   node main.mjs LARDER_PROGRAM [CORPUS_DIR]
//
// Cooks sources of the judges' own, examples/courtyard/source, and the corpus where there is one, into a temporary
// folder, and lets each judge compare. One line a check; exit status 1 when one fails. What each judge knows is in its
// own file.

import { judgeCooked } from './cooked.mjs';
import { judgeDocuments } from './document.mjs';
import { judgeKtx } from './ktx.mjs';
import { judgeLosses } from './losses.mjs';
import { judgePoses } from './poses.mjs';
import { judgeReadable } from './readable.mjs';
import { judgeSingles } from './single.mjs';
import { judgeTangents } from './tangents.mjs';
import { judgeTeeth } from './teeth.mjs';
import { cookTrees, removeTrees } from './trees.mjs';
import { Verdicts } from './verdicts.mjs';
import { judgeViewed } from './viewed.mjs';

const [larder, corpus] = process.argv.slice(2);
if (larder === undefined)
{
	console.error('usage: node main.mjs LARDER_PROGRAM [CORPUS_DIR]');
	process.exit(2);
}

const verdicts = new Verdicts();
const trees = cookTrees(larder, corpus, verdicts);
try
{
	await judgeReadable(trees, verdicts);
	await judgeKtx(trees, verdicts);
	await judgeLosses(trees, verdicts);
	await judgeSingles(larder, corpus, trees, verdicts);
	await judgeDocuments(trees, verdicts);
	await judgeCooked(trees, verdicts);
	await judgeTangents(trees, verdicts);
	await judgePoses(larder, trees, verdicts);
	await judgeTeeth(trees, verdicts);
	await judgeViewed(larder, corpus, verdicts);
}
finally
{
	removeTrees(trees);
}
process.exit(verdicts.finish());
