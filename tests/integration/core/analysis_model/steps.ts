import fc, { type AsyncCommand, type Arbitrary } from 'fast-check'

import * as actions from './actions.js'
import type { Action } from './actions.js'
import { requireSame } from './comparison.js'
import { WORST_FIRST } from './derived.js'
import type { Model } from './model.js'
import { nextAction } from './next_action.js'
import { COMMANDS } from './rules.js'
import type { AnalysisState, ProcessName } from './state.js'
import { DIED, type World } from './world.js'

const PROCESSES = ['build', 'distribution'] as const
const PATHS = ['main.py', 'lib.py', 'data.csv']
const REPORTS = [
  'executionStarted',
  'executionProgress',
  'executionFinished',
  'executionFailed',
  'checkFinished',
] as const

/** Chosen when the step runs, because possible actions depend on the state. */
type Choose = (model: Model) => Action | undefined

/** What a run has covered, so that a run without progress is noticed. */
export interface Coverage {
  steps: number
  deaths: number
  readonly outcomes: Set<string>
  readonly statuses: Set<string>
}

export class Step implements AsyncCommand<Model, World> {
  readonly #kind: string
  readonly #choose: Choose
  readonly #dies: boolean
  readonly #coverage: Coverage

  constructor(kind: string, choose: Choose, dies: boolean, coverage: Coverage) {
    this.#kind = kind
    this.#choose = choose
    this.#dies = dies
    this.#coverage = coverage
  }

  check(model: Model): boolean {
    return this.#choose(model) !== undefined
  }

  async run(model: Model, world: World): Promise<void> {
    const action = this.#choose(model)!
    const dies = this.#dies && model.analysis !== undefined
    model.log.push(dies ? `${action.description}, and the process dies` : action.description)
    try {
      const known = runsOf(model)
      const outcome = await (dies
        ? world.dying(() => action.inWorld(world))
        : action.inWorld(world))
      this.#apply(action, model, outcome)
      for (const [process, number] of runsOf(model)) {
        await (known.get(process) === number ? undefined : world.numberRun(process, number))
      }
      await requireSame(model, world)
    } catch (error) {
      const happened = model.log.map((one) => `- ${one}`).join('\n')
      throw new Error(`${(error as Error).message}\nafter\n${happened}`, { cause: error })
    }
  }

  /** A process that died has no effect on the model. */
  #apply(action: Action, model: Model, outcome: string): void {
    this.#coverage.steps++
    if (outcome === DIED) {
      this.#coverage.deaths++
      return
    }
    const expected = action.inModel(model)
    if (outcome !== expected) {
      throw new Error(`The answer is "${outcome}" and should be "${expected}"`)
    }
    this.#coverage.outcomes.add(expected)
    PROCESSES.forEach((process) =>
      this.#coverage.statuses.add(`${process} ${model.analysis?.[process].status}`)
    )
  }

  /** The action is chosen later; the error lists it. */
  toString(): string {
    return this.#kind
  }
}

function runsOf({ analysis }: Model): ReadonlyMap<ProcessName, number> {
  return new Map(
    PROCESSES.flatMap((process) => {
      const run = analysis?.[process].run
      return run ? [[process, run.number] as const] : []
    })
  )
}

const at = fc.nat(11)
const pick = <T>(list: readonly T[], index: number): T | undefined => list[index % list.length]
const nodesOf = (model: Model) => [...model.nodes.values()]
const decision = fc.constantFrom('approved', 'approved', 'approved', 'rejected', null)
const nodeType = fc.constantFrom('default', 'default', 'aggregator')
const bucketType = fc.constantFrom('CODE', 'CODE', 'RESULT', 'TEMP')
const path = fc.constantFrom(...PATHS)

/** An action on an existing analysis. */
const ifPresent = (
  choose: (analysis: AnalysisState, model: Model) => Action | undefined
): Choose => {
  return (model) => model.analysis && choose(model.analysis, model)
}

const ofNode = (choose: (node: number, model: Model) => Action, index: number) =>
  ifPresent(({ assignments }, model) => {
    const assignment = pick(assignments, index)
    return assignment && choose(assignment.node, model)
  })

const ofFile = (choose: (file: AnalysisState['files'][number]) => Action, index: number) =>
  ifPresent(({ files }) => {
    const file = pick(files, index)
    return file && choose(file)
  })

const ofBucket = (choose: (bucket: number, model: Model) => Action, index: number) =>
  ifPresent(({ buckets }, model) => {
    const found = pick(buckets, index)
    return found && choose(found.bucket, model)
  })

const commands: Arbitrary<Choose> = fc
  .constantFrom(...COMMANDS)
  .map((name) => ifPresent(() => actions.command(name)))

const nodes: Arbitrary<Choose> = fc.oneof(
  fc.tuple(at, decision).map(([n, one]) => ofNode((node) => actions.decide(node, one), n)),
  fc
    .tuple(at, fc.option(fc.constantFrom(...WORST_FIRST)), fc.option(fc.nat(100)))
    .map(([n, status, progress]) => ofNode((node) => actions.execute(node, status, progress), n)),
  at.map((n) => ifPresent((_, model) => actions.assign(pick(nodesOf(model), n)!))),
  at.map((n) => ofNode((node) => actions.unassign(node), n)),
  fc.tuple(at, decision).map(
    ([n, one]): Choose =>
      (model) =>
        actions.decideOnProject(pick(nodesOf(model), n)!, one)
  ),
  fc.tuple(at, nodeType).map(
    ([n, type]): Choose =>
      (model) =>
        actions.changeType(pick(nodesOf(model), n)!, type)
  ),
  fc.tuple(at, fc.boolean()).map(
    ([n, has]): Choose =>
      (model) =>
        actions.setRegistry(pick(nodesOf(model), n)!, has)
  ),
  fc.tuple(at, nodeType).map(([n, type]): Choose => (model) => {
    const next = { key: model.nextNumber(), type, hasRegistry: true } as const
    return actions.replaceNode(pick(nodesOf(model), n)!, { ...next, projectDecision: 'approved' })
  })
)

const images: Arbitrary<Choose> = fc.oneof(
  fc
    .tuple(at, fc.boolean())
    .map(([n, none]) =>
      ifPresent((_, model) => actions.chooseImage(none ? null : pick(model.images, n)!))
    ),
  fc
    .option(fc.constantFrom('--fast', '--slow'))
    .map((args) => ifPresent(() => actions.chooseArguments(args))),
  at.map(
    (n): Choose =>
      (model) =>
        actions.changeImage(pick(model.images, n)!)
  ),
  at.map(
    (n): Choose =>
      (model) =>
        actions.removeImage(pick(model.images, n)!, model.nextNumber())
  )
)

const buckets: Arbitrary<Choose> = fc.oneof(
  bucketType.map((type): Choose => (model) => {
    const isRequested = model.analysis
      ? model.analysis.requests.get(type) === null
      : model.formerRequests.has(type)
    return isRequested ? actions.bucketCreated(type, model.nextNumber()) : undefined
  }),
  bucketType.map((type) => ifPresent((_, model) => actions.addBucket(type, model.nextNumber()))),
  at.map((n) => ofBucket(actions.removeBucket, n)),
  at.map((n) => ofBucket(actions.bucketDeleted, n))
)

const files: Arbitrary<Choose> = fc.oneof(
  fc.tuple(at, path, fc.boolean()).map(([n, where, root]) =>
    ofBucket((bucket, model) => {
      const key = model.nextNumber()
      return actions.addFile({ key, bucket, path: where, root })
    }, n)
  ),
  fc
    .tuple(at, path)
    .map(([n, where]) =>
      ofBucket(
        (bucket, model) =>
          actions.fileStored({ key: model.nextNumber(), bucket, path: where, root: false }),
        n
      )
    ),
  fc
    .tuple(at, fc.record({ path, root: fc.boolean() }, { requiredKeys: [] }))
    .filter(([, change]) => Object.keys(change).length > 0)
    .map(([n, change]) => ofFile((file) => actions.changeFile(file, change), n)),
  at.map((n) => ofFile((file) => actions.removeFile(file), n)),
  at.map((n) => ofFile(({ key }) => actions.fileDeleted(key), n)),
  at.map((n) => ofFile((file) => actions.damage(file), n)),
  // A message about a file arrives after its record was removed.
  at.map((n): Choose => (model) => {
    const file = model.analysis && pick(model.removedFiles, n)
    return file && actions.fileStored(file)
  }),
  // Another message reports the same file again.
  at.map((n) => ofFile((file) => actions.addFile({ ...file, path: 'again.py' }), n)),
  at.map((n) => ofFile((file) => actions.fileStored(file), n))
)

const processName = fc.constantFrom<ProcessName>('build', 'build', 'distribution')

const workers: Arbitrary<Choose> = fc
  .record({
    process: processName,
    report: fc.constantFrom(...REPORTS),
    which: fc.constantFrom('current', 'current', 'former', 'none', 'other'),
    percent: fc.nat(120),
    status: fc.option(fc.constantFrom(...WORST_FIRST)),
    problem: fc.option(fc.constantFrom('no space left', 'no such image')),
    hash: fc.option(fc.constantFrom('sha256:1', 'sha256:2')),
  })
  .map(({ which, status, problem, ...report }): Choose => (model) => {
    const run = {
      current: model.analysis?.[report.process].run?.number ?? null,
      former: model.sent[0]?.run ?? null,
      other: model.nextNumber(),
      none: null,
    }[which]
    const found = report.report === 'checkFinished' ? status : null
    return actions.workerReport({ ...report, run, status: found, problem })
  })

/** Mostly actions that advance the analysis, so that random steps reach its end. */
export function steps(coverage: Coverage): Arbitrary<Step> {
  const kinds: [kind: string, weight: number, arbitrary: Arbitrary<Choose>][] = [
    [
      'what is next',
      24,
      at.map(
        (n): Choose =>
          (model) =>
            nextAction(model, n)
      ),
    ],
    ['command', 8, commands],
    ['node', 8, nodes],
    ['image', 4, images],
    ['bucket', 5, buckets],
    ['file', 8, files],
    ['worker', 10, workers],
    [
      'repetition',
      2,
      at.map(
        (n): Choose =>
          () =>
            actions.repeat(n)
      ),
    ],
    ['silence', 2, fc.constant<Choose>(() => actions.noReports)],
    ['removal', 1, fc.constant<Choose>(ifPresent(() => actions.remove))],
    [
      'creation',
      2,
      at.map(
        (n): Choose =>
          (model) =>
            creation(model, n)
      ),
    ],
  ]
  const dies = fc.integer({ min: 1, max: 100 }).map((n) => n === 50)
  return fc.oneof(
    ...kinds.map(([kind, weight, arbitrary]) => ({
      weight,
      arbitrary: fc
        .tuple(arbitrary, dies)
        .map(([choose, isLast]) => new Step(kind, choose, isLast, coverage)),
    }))
  )
}

function creation(model: Model, n: number): Action | undefined {
  return model.analysis ? undefined : actions.create(pick(model.images, n))
}
