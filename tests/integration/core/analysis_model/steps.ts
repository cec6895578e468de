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

/** What happens is decided when it does: what can be done to an analysis depends on what was. */
type Choose = (model: Model) => Action | undefined

/** What was seen of the life of analyses, so that a test that goes nowhere is noticed. */
export interface Seen {
  steps: number
  deaths: number
  readonly outcomes: Set<string>
  readonly statuses: Set<string>
}

export class Step implements AsyncCommand<Model, World> {
  readonly #kind: string
  readonly #choose: Choose
  readonly #dies: boolean
  readonly #seen: Seen

  constructor(kind: string, choose: Choose, dies: boolean, seen: Seen) {
    this.#kind = kind
    this.#choose = choose
    this.#dies = dies
    this.#seen = seen
  }

  check(model: Model): boolean {
    return this.#choose(model) !== undefined
  }

  async run(model: Model, world: World): Promise<void> {
    const action = this.#choose(model)!
    const dies = this.#dies && model.analysis !== undefined
    model.happened.push(dies ? `${action.says}, and the process dies` : action.says)
    try {
      const known = runsOf(model)
      const outcome = await (dies
        ? world.dying(() => action.inWorld(world))
        : action.inWorld(world))
      this.#follow(action, model, outcome)
      for (const [process, number] of runsOf(model)) {
        await (known.get(process) === number ? undefined : world.numberRun(process, number))
      }
      await requireSame(model, world)
    } catch (error) {
      const happened = model.happened.map((one) => `- ${one}`).join('\n')
      throw new Error(`${(error as Error).message}\nafter\n${happened}`, { cause: error })
    }
  }

  /** Nothing is left of what a process did that died before its end. */
  #follow(action: Action, model: Model, outcome: string): void {
    this.#seen.steps++
    if (outcome === DIED) {
      this.#seen.deaths++
      return
    }
    const expected = action.inModel(model)
    if (outcome !== expected) {
      throw new Error(`The answer is "${outcome}" and should be "${expected}"`)
    }
    this.#seen.outcomes.add(expected)
    PROCESSES.forEach((process) =>
      this.#seen.statuses.add(`${process} ${model.analysis?.[process].status}`)
    )
  }

  /** What becomes of it depends on what was before; that stands in the error. */
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

/** Something that is done to an analysis that is there. */
const there = (choose: (analysis: AnalysisState, model: Model) => Action | undefined): Choose => {
  return (model) => model.analysis && choose(model.analysis, model)
}

const ofNode = (choose: (node: number, model: Model) => Action, index: number) =>
  there(({ assignments }, model) => {
    const assignment = pick(assignments, index)
    return assignment && choose(assignment.node, model)
  })

const ofFile = (choose: (file: AnalysisState['files'][number]) => Action, index: number) =>
  there(({ files }) => {
    const file = pick(files, index)
    return file && choose(file)
  })

const ofBucket = (choose: (bucket: number, model: Model) => Action, index: number) =>
  there(({ buckets }, model) => {
    const found = pick(buckets, index)
    return found && choose(found.bucket, model)
  })

const commands: Arbitrary<Choose> = fc
  .constantFrom(...COMMANDS)
  .map((name) => there(() => actions.command(name)))

const nodes: Arbitrary<Choose> = fc.oneof(
  fc.tuple(at, decision).map(([n, one]) => ofNode((node) => actions.decide(node, one), n)),
  fc
    .tuple(at, fc.option(fc.constantFrom(...WORST_FIRST)), fc.option(fc.nat(100)))
    .map(([n, status, progress]) => ofNode((node) => actions.execute(node, status, progress), n)),
  at.map((n) => there((_, model) => actions.assign(pick(nodesOf(model), n)!))),
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
      there((_, model) => actions.chooseImage(none ? null : pick(model.images, n)!))
    ),
  fc
    .option(fc.constantFrom('--fast', '--slow'))
    .map((args) => there(() => actions.chooseArguments(args))),
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
    const isAsked = model.analysis
      ? model.analysis.requests.get(type) === null
      : model.formerRequests.has(type)
    return isAsked ? actions.bucketMade(type, model.nextNumber()) : undefined
  }),
  bucketType.map((type) => there((_, model) => actions.addBucket(type, model.nextNumber()))),
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
  // The same file is told of again, as another message.
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
  .map(({ which, status, problem, ...told }): Choose => (model) => {
    const run = {
      current: model.analysis?.[told.process].run?.number ?? null,
      former: model.sent[0]?.run ?? null,
      other: model.nextNumber(),
      none: null,
    }[which]
    const found = told.report === 'checkFinished' ? status : null
    return actions.tell({ ...told, run, status: found, problem })
  })

/** Mostly something that brings the analysis further, so that random steps come to its end. */
export function steps(seen: Seen): Arbitrary<Step> {
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
    ['silence', 2, fc.constant<Choose>(() => actions.silence)],
    ['removal', 1, fc.constant<Choose>(there(() => actions.remove))],
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
        .map(([choose, isLast]) => new Step(kind, choose, isLast, seen)),
    }))
  )
}

function creation(model: Model, n: number): Action | undefined {
  return model.analysis ? undefined : actions.create(pick(model.images, n))
}
