import { setTimeout as delay } from 'node:timers/promises'

import type { Draw } from '#tests/chaos/draw'
import { Journal } from '#tests/chaos/journal'
import { Observer } from '#tests/chaos/observer'
import type { Finding } from '#tests/drills/report'
import { prepareBuilds, type BuildFacts } from '#tests/drills/upgrade/builder'
import { Load, type LoadScale } from '#tests/drills/upgrade/load'
import type { Break } from './breaks.js'
import { checks, formerThings } from './checks.js'
import type { Installation } from './installation.js'
import { outagesOf, type Outages } from './outages.js'
import { PrimaryProbes } from './primary_probes.js'
import { until } from './until.js'

const BEFORE_MS = [1_000, 3_000] as const
const AFTER_MS = 2_000

/** One break, and what it did. */
export interface Round {
  readonly name: string
  readonly hosts: readonly string[]
  readonly outages: Outages
  /** What speaks against it that nothing was lost. */
  readonly problems: readonly string[]
  /** Acknowledged writes and messages. */
  readonly counts: { readonly writes: number; readonly messages: number; readonly uploads: number }
}

interface Witnesses {
  readonly installation: Installation
  readonly journal: Journal
  readonly observer: Observer
  readonly probes: PrimaryProbes
  readonly building: BuildFacts
  readonly scale: Omit<LoadScale, 'name'>
}

/** What is audited late would be taken for an event of the next round. */
async function nothingIsUnderWay(journal: Journal): Promise<void> {
  const last = (await journal.stored()).at(-1)?.number ?? 0
  await until('everything so far is audited', async () => {
    return (await journal.unaudited(0, last)) === 0 && (await journal.waiting(new Date())) === 0
  })
}

type Counts = Round['counts']

const countsOf = ({ parts: { client, ledger, forms, resumable } }: Load): Counts => ({
  writes: client.exchanges.filter(({ status = 500 }) => status < 300).length,
  messages: ledger.counts.accepted,
  uploads: forms.accepted.length + resumable.accepted.length,
})

const growth = (from: Counts, to: Counts): Counts => ({
  writes: to.writes - from.writes,
  messages: to.messages - from.messages,
  uploads: to.uploads - from.uploads,
})

const problemsOf = (findings: readonly Finding[]) =>
  findings.flatMap(({ what, problems }) => problems.map((problem) => `${what}: NO, ${problem}`))

/** Breaks one thing after the other while clients write, and compares everything when they have ended. */
export class Rounds {
  readonly #witnesses: Witnesses
  readonly #draw: Draw
  #count = 0

  static async at(
    installation: Installation,
    draw: Draw,
    scale: Omit<LoadScale, 'name'>
  ): Promise<Rounds> {
    const { origin, databaseUrl, brokerUrl, servers } = installation
    const journal = await Journal.open(databaseUrl)
    const observer = await Observer.start(brokerUrl)
    const probes = await PrimaryProbes.start(journal.pool, servers.postgres)
    const primary = await servers.postgres.primary()
    const building = await prepareBuilds(origin, await servers.postgres.urlAt(primary.host))
    await servers.rabbitmq.expectReplicatedQueues()
    await nothingIsUnderWay(journal)
    return new Rounds({ installation, journal, observer, probes, building, scale }, draw)
  }

  private constructor(witnesses: Witnesses, draw: Draw) {
    this.#witnesses = witnesses
    this.#draw = draw
  }

  /** Whatever was lost speaks against each of the rounds. */
  async run(breaks: readonly Break[], onMeasured: (round: Round) => void): Promise<Round[]> {
    this.#count++
    const { installation, journal, observer, probes, building, scale } = this.#witnesses
    const { origin } = installation
    const former = await formerThings({ journal })
    const named = { ...scale, name: `load-${this.#count}` }
    const load = await Load.start({ origin, prepare: async () => building, scale: named })
    try {
      const rounds: Round[] = []
      for (const each of breaks) {
        const round = await this.#measure(load, each)
        onMeasured(round)
        rounds.push(round)
      }
      await load.endWriting()
      const evidence = { load, journal, observer, origin, former }
      const findings = [...(await checks(evidence)), await probes.finding()]
      const lost = problemsOf(findings)
      return rounds.map((round) => ({ ...round, problems: [...round.problems, ...lost] }))
    } finally {
      load.stop()
    }
  }

  /** Breaks something, and lets the load go on until everything is whole again. */
  async #measure(load: Load, { name, holdMs, begin }: Break): Promise<Round> {
    const { installation } = this.#witnesses
    const before = countsOf(load)
    await delay(this.#draw.between(...BEFORE_MS))
    const from = performance.now()
    const { hosts, repair } = await begin(installation, this.#draw)
    await delay(holdMs)
    await repair()
    const problems = await installation.isWhole().then(
      () => [],
      (error) => [`it did not become whole by itself: ${error}`]
    )
    await delay(AFTER_MS)
    return {
      name,
      hosts: hosts.map((host) => host.name),
      outages: outagesOf(load, from, performance.now()),
      problems,
      counts: growth(before, countsOf(load)),
    }
  }

  async close(): Promise<void> {
    const { journal, observer, probes } = this.#witnesses
    await probes.stop()
    await Promise.all([journal.close(), observer.close()])
  }
}
