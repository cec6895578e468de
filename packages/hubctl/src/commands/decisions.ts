import type { Command } from 'commander'

import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import type { Invocation } from '#hubctl/invocation'
import { findRecord, type RecordCollection } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import { realmNames } from '#hubctl/kinds/realm_names'
import { withDryRun, collect } from '#hubctl/options'
import { requireConfirmation } from '#hubctl/output/prompts'
import { printable } from '#hubctl/output/printable'
import type { Api } from '#hubctl/platform/api'
import { Problem } from '#hubctl/problem'
import {
  resolveAuthorities,
  findPartsToDecide,
  type Authority,
  type Part,
  type PartOptions,
  type Verdict,
} from './decision_parts.js'

export interface DecisionOptions extends PartOptions {
  readonly comment?: string
  readonly digest?: string
  readonly asOperator?: boolean
}

/** The records a decision is about: the subject and its parts. */
export interface DecisionTarget {
  readonly subject: RecordCollection
  readonly parts: RecordCollection
  /** The attribute of a part that refers to the subject. */
  readonly key: 'projectId' | 'analysisId'
  /** Reads the digest of the current content, if the subject has content that may change. */
  readonly contentOf?: (api: Api, id: string) => Promise<string>
  /** Says what changed since the last decision about a part, a line for each change. */
  readonly changesOf?: (api: Api, partId: string) => Promise<readonly string[]>
}

interface Outcome {
  readonly part: Part
  readonly result: Verdict | 'planned' | 'not yours' | 'refused'
  /** Why the part was not decided. */
  readonly problem: Problem | undefined
}

/** Comments of projects are of three characters at least; those of analyses may be a letter. */
export function withDecisionOptions(command: Command, comment = 'why'): Command {
  return withDryRun(
    command
      .option('-n, --node <node>', 'only for this node, even if it was decided before')
      .option('-r, --realm <realm>', 'for the nodes of this realm; repeatable', collect)
      .option('--as-operator', 'decide on behalf of another realm without confirmation')
      .option('-m, --comment <text>', comment)
  )
}

/**
 * Decides for all pending nodes of the caller's realm, of the named realms, or for one node.
 * Parts that stay undecided are shown with the realm that must decide.
 */
export async function decide(
  invocation: Invocation<DecisionOptions>,
  { subject, parts: collection, key, contentOf, changesOf }: DecisionTarget,
  verdict: Verdict,
  idOrName: string
): Promise<ExitCode> {
  const { options, output } = invocation
  const api = await invocation.api()
  const { id } = await findRecord(api, subject, idOrName)
  const contentDigest = options.digest ?? (await contentOf?.(api, id))
  const parts = await findPartsToDecide(api, collection, [`filter[${key}]`, id], options)
  if (parts.length === 0) {
    output.note(`No node of the ${subject.name} ${idOrName} waits for a decision.`)
    return EXIT.done
  }
  const authority = await resolveAuthorities(api, options)
  const realm = await realmNames(api)
  const others = parts.filter((part) => authority(part) === 'on behalf')
  if (others.length > 0) {
    const what = `${VERBS[verdict]} the ${subject.name} ${idOrName}`
    await requireConfirmation(`${what} on behalf of ${namesOfRealms(others, realm)}?`, {
      yes: Boolean(options.asOperator) || api.isPlanning,
      option: '--as-operator',
    })
  }
  for (const part of parts.filter((one) => SKIP_REASONS[authority(one)] === undefined)) {
    const changes = (await changesOf?.(api, part.id)) ?? []
    changes.forEach((line) => output.note(`${printable(part.node.name)}: ${line}`))
  }
  const { comment } = options
  const body = {
    approvalStatus: verdict,
    ...(comment !== undefined && { comment }),
    ...(contentDigest !== undefined && { contentDigest }),
  }
  const outcomes = await decideEach(api, collection, parts, { authority, body })
  showOutcomes(invocation, outcomes, { kind: collection.name, realm })
  if (contentDigest !== undefined) {
    output.note(`The decision is about the content ${contentDigest}`)
  }
  return exitCodeOf(outcomes, options.node !== undefined || options.realm !== undefined)
}

const VERBS: Readonly<Record<Verdict, string>> = { approved: 'Approve', rejected: 'Reject' }

/** `the realm clinic (north, south) and the realm lab (east)`. */
function namesOfRealms(parts: readonly Part[], realm: (id: string) => string): string {
  const byRealm = Object.entries(Object.groupBy(parts, ({ nodeRealmId }) => nodeRealmId))
  return byRealm
    .map(
      ([id, own = []]) => `the realm ${realm(id)} (${own.map(({ node }) => node.name).join(', ')})`
    )
    .map(printable)
    .join(' and ')
}

const TURN = 'The realm of the node must decide.'

/** Parts that are skipped without a request: a denied one would be audited as the caller's. */
const SKIP_REASONS: Readonly<Partial<Record<Authority, Problem>>> = {
  theirs: new Problem(EXIT.permission, TURN),
  unnamed: new Problem(EXIT.permission, TURN, [
    'To decide on its behalf, name it: --realm <realm> or --node <node>',
  ]),
}

interface DecisionRequest {
  readonly authority: (part: Part) => Authority
  readonly body: {
    readonly approvalStatus: Verdict
    readonly comment?: string
    readonly contentDigest?: string
  }
}

async function decideEach(
  api: Api,
  collection: RecordCollection,
  parts: readonly Part[],
  { authority, body }: DecisionRequest
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const part of parts) {
    const problem = SKIP_REASONS[authority(part)]
    outcomes.push(
      problem
        ? { part, result: 'not yours', problem }
        : await decideOne(api, collection, part, body)
    )
  }
  return outcomes
}

async function decideOne(
  api: Api,
  collection: RecordCollection,
  part: Part,
  body: DecisionRequest['body']
): Promise<Outcome> {
  try {
    const answer = await api.change('POST', collection.service, pathOf(collection, part.id), body)
    return {
      part,
      result: answer === undefined ? 'planned' : body.approvalStatus,
      problem: undefined,
    }
  } catch (error) {
    if (
      error instanceof Problem &&
      [EXIT.permission, EXIT.refused].some((code) => code === error.exitCode)
    ) {
      return { part, result: 'refused', problem: error }
    }
    throw error
  }
}

function showOutcomes(
  { output }: Invocation,
  outcomes: readonly Outcome[],
  { kind, realm }: { kind: string; realm: (id: string) => string }
): void {
  const rows = outcomes.map(({ part, result, problem }) => ({
    id: part.id,
    node: part.node.name,
    realm: realm(part.nodeRealmId),
    result,
    ...(!output.isTable && { reason: problem?.message ?? null }),
  }))
  output.records(rows, { kind, columns: ['node', 'realm', 'result'] })
  outcomes.forEach(({ part, problem }) => {
    if (problem) {
      output.note(`${part.node.name}: ${[problem.message, ...problem.advice].join(' ')}`)
    }
  })
}

/**
 * If every decision was refused, the first error is thrown. Nodes of other realms are for those to decide: that they
 * wait is not a failure, unless they were named or there was nothing else.
 */
function exitCodeOf(outcomes: readonly Outcome[], wereNamed: boolean): ExitCode {
  const undecided = outcomes.filter(({ problem }) => problem !== undefined)
  const refused = undecided.find(({ result }) => result === 'refused')
  if (refused?.problem && undecided.length === outcomes.length) {
    throw refused.problem
  }
  const isOnlyForOthers = undecided.every(({ problem }) => problem === SKIP_REASONS.theirs)
  const hasDecided = undecided.length < outcomes.length
  return undecided.length === 0 || (isOnlyForOthers && hasDecided && !wereNamed)
    ? EXIT.done
    : EXIT.partly
}
