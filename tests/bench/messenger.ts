/**
 * What mailboxes carry, with the client on the same processors: durable sends, pulls with acknowledgements, the time until somebody who waits is told,
 * what a connection that waits takes of memory, and a pull from a large table. `BENCH_SECONDS` says how long each load lasts, `BENCH_ROWS`
 * how large the table is, `BENCH_PARTS` which parts are measured.
 */
import { testEnvironment } from '#tests/helpers/test_environment'
import { Figures } from '#tests/bench/messenger/figures'
import { Installation } from '#tests/bench/messenger/installation'
import * as parts from '#tests/bench/messenger/parts'

const NAMES = ['sends', 'pulls', 'wakeups', 'memory', 'rows', 'limits'] as const
const chosen = process.env.BENCH_PARTS?.split(',') ?? NAMES

testEnvironment()
const installation = await Installation.start()
try {
  const figures = new Figures()
  for (const name of NAMES.filter((each) => chosen.includes(each))) {
    await parts[name](installation, figures)
  }
  process.exitCode = figures.isMet ? 0 : 1
} finally {
  await installation.stop()
}
