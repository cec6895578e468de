import { appendFile, readFile } from 'node:fs/promises'

import type { Draw } from '#tests/chaos/draw'
import { report } from '#tests/drills/report'
import type { LoadScale } from '#tests/drills/upgrade/load'
import { BREAKS, SHORT, type Break } from './breaks.js'
import { Installation } from './installation.js'
import { inOrder } from './order.js'
import { Rounds, type Round } from './rounds.js'
import { refusalOfStrangers } from './strangers.js'
import { tableOf, writeBetweenMarkers } from './table.js'

interface DrillOptions {
  readonly draw: Draw
  /** How often each break is made. */
  readonly rounds: number
  /** Texts of which the name of a break contains one. */
  readonly only: readonly string[]
  readonly isShort: boolean
  readonly writers: number
  readonly messagesPerSecond: number
  /** Rounds of this and earlier runs, each a line of JSON. */
  readonly results: string | undefined
  /** Whether those rounds count. */
  readonly isContinued: boolean
  readonly isTableWritten: boolean
}

/** How many breaks pass under one load, until everything is compared. */
const BREAKS_PER_LOAD = 11
const BUILDS = { fileBytes: 64 * 1024, pauseMs: 5_000 }
const UPLOADS = { partBytes: 16 * 1024, pauseMs: 50 }
const WRITER_PAUSE_MS = 50
const README = new URL('../../README.md', import.meta.url)
const PAGE = new URL('../../docs/high-availability.md', import.meta.url)

/** Breaks what was chosen, and prints the table. The process fails if something was lost. */
export async function runDrill(options: DrillOptions): Promise<void> {
  const order = await orderOf(options)
  const startedAt = performance.now()
  const note = (text: string) => {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
    console.log(`${seconds.padStart(5)} s  ${text}`)
  }
  note(`${order.length} rounds`)
  await using cleanup = new AsyncDisposableStack()
  const installation = await Installation.start()
  cleanup.defer(() => installation.stop())
  note(`${installation.units.length} services run`)
  report('What the example gives away', [await refusalOfStrangers(installation)])
  const rounds = await Rounds.at(installation, options.draw, scaleOf(options))
  cleanup.defer(() => rounds.close())
  const done: Round[] = []
  while (order.length > 0) {
    const compared = await rounds.run(order.splice(0, BREAKS_PER_LOAD), (round) =>
      note(lineOf(round))
    )
    problemsOf(compared).forEach((problem) => console.log(`         ${problem}`))
    await keep(compared, options)
    done.push(...compared)
  }
  await showTable(done, options)
}

async function orderOf(options: DrillOptions): Promise<Break[]> {
  const { draw, rounds, results, isContinued } = options
  const earlier = results && isContinued ? await readRounds(results) : []
  return inOrder(chosenBreaks(options), { draw, rounds, earlier })
}

function chosenBreaks({ only, isShort }: DrillOptions): Break[] {
  const named = BREAKS.filter(({ name }) => only.some((text) => name.includes(text)))
  const chosen = isShort ? named.filter(({ name }) => SHORT.includes(name)) : named
  if (chosen.length === 0) {
    const names = BREAKS.map(({ name }) => `  ${name}`).join('\n')
    throw new Error(`No break was chosen. There are:\n${names}`)
  }
  return chosen
}

const scaleOf = ({ writers, messagesPerSecond }: DrillOptions): Omit<LoadScale, 'name'> => ({
  writers,
  writerPauseMs: WRITER_PAUSE_MS,
  readers: 0,
  sendsPerSecond: messagesPerSecond,
  uploads: UPLOADS,
  builds: BUILDS,
})

/** What rounds under one load have in common is named once. */
const problemsOf = (rounds: readonly Round[]) => new Set(rounds.flatMap(({ problems }) => problems))

async function keep(rounds: readonly Round[], { results }: DrillOptions): Promise<void> {
  if (results) {
    await appendFile(results, rounds.map((round) => `${JSON.stringify(round)}\n`).join(''))
  }
  if (problemsOf(rounds).size > 0) {
    process.exitCode = 1
  }
}

async function showTable(done: readonly Round[], options: DrillOptions): Promise<void> {
  const all = options.results ? await readRounds(options.results) : done
  const table = tableOf(all)
  console.log(`\n${table}\n`)
  if (options.isTableWritten) {
    await writeBetweenMarkers(PAGE, 'drill', table)
    await writeBetweenMarkers(
      README,
      'drill',
      tableOf(all.filter(({ name }) => README_BREAKS.includes(name)))
    )
  }
}

/** What readers ask first about. */
const README_BREAKS = [
  'a host of the hub: kill -9',
  'the primary of PostgreSQL: kill -9',
  'one of three hosts of RabbitMQ: kill -9',
  'the master of Redis: kill -9',
  'a host of S3: kill -9',
]

async function readRounds(file: string): Promise<Round[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Round)
}

function lineOf({ name, hosts, outages, counts }: Round): string {
  const seconds = Object.entries(outages).map(
    ([kind, ms]) => `${kind} ${(ms / 1_000).toFixed(1)} s`
  )
  const figures = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`)
  return `${name} (${hosts.join(', ') || 'no host'}): longest wait ${seconds.join(', ')}; ${figures.join(', ')}`
}
