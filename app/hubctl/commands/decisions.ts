import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import type { Invocation } from '#hubctl/invocation'
import { findRecord, type Found, type Place } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import { NODES } from '#hubctl/kinds/places'
import { realmNames } from '#hubctl/kinds/realm_names'
import type { Api } from '#hubctl/platform/api'
import { allOf } from '#hubctl/platform/pages'
import { mayWriteIn, whoIs } from '#hubctl/platform/who'
import { Problem } from '#hubctl/problem'

export type Verdict = 'approved' | 'rejected'

/** A node's part in a project or an analysis, which the node's realm decides about. */
interface Part extends Found {
  readonly nodeId: string
  readonly nodeRealmId: string
  readonly approvalStatus: Verdict | null
  readonly node: { readonly name: string }
}

export interface DecisionOptions {
  readonly node?: string
  readonly comment?: string
}

/** What is decided about, and where the nodes of it are. */
export interface Decided {
  readonly subject: Place
  readonly parts: Place
  /** The attribute of a part that names the subject. */
  readonly key: 'projectId' | 'analysisId'
}

interface Outcome {
  readonly part: Part
  readonly result: Verdict | 'planned' | 'not yours' | 'refused'
  /** Why it was not decided. */
  readonly problem: Problem | undefined
}

/**
 * Decides for every node that is undecided, or for the one that was named, as far as its realm lets the caller. What is left is
 * shown with the realm whose turn it is.
 */
export async function decide(
  invocation: Invocation<DecisionOptions>,
  { subject, parts, key }: Decided,
  verdict: Verdict,
  idOrName: string
): Promise<ExitCode> {
  const { options, output } = invocation
  const api = await invocation.api()
  const { id } = await findRecord(api, subject, idOrName)
  const waiting = await partsToDecide(api, parts, [`filter[${key}]`, id], options.node)
  if (waiting.length === 0) {
    output.note(`No node of the ${subject.name} ${idOrName} waits for a decision.`)
    return EXIT.done
  }
  const { comment } = options
  const body = { approvalStatus: verdict, ...(comment !== undefined && { comment }) }
  const outcomes = await decideEach(api, parts, waiting, body)
  await showOutcomes(invocation, api, outcomes, parts.name)
  const left = outcomes.filter(({ problem }) => problem !== undefined)
  const refused = left.find(({ result }) => result === 'refused')
  if (refused?.problem && left.length === outcomes.length) {
    throw refused.problem
  }
  return left.length > 0 ? EXIT.partly : EXIT.done
}

/** One that was named may have been decided before: it is decided anew. */
async function partsToDecide(
  api: Api,
  { service, path }: Place,
  condition: [string, string],
  node: string | undefined
): Promise<Part[]> {
  const query: [string, string][] = [condition, ['include', 'node']]
  const parts = await allOf<Part>(api, service, path, { query })
  if (node === undefined) {
    return parts.filter(({ approvalStatus }) => approvalStatus === null)
  }
  const { id } = await findRecord(api, NODES, node)
  const named = parts.filter(({ nodeId }) => nodeId === id)
  if (named.length === 0) {
    throw new Problem(EXIT.notFound, `The node ${node} takes no part in this.`)
  }
  return named
}

const THEIRS = new Problem(EXIT.permission, 'It is the turn of the realm of the node.')

/** Nodes of other realms are left to those: to be refused would be noted against the caller. */
async function decideEach(
  api: Api,
  place: Place,
  parts: readonly Part[],
  body: { approvalStatus: Verdict }
): Promise<Outcome[]> {
  const who = await whoIs(api)
  const outcomes: Outcome[] = []
  for (const part of parts) {
    const isTheirs = who !== undefined && !mayWriteIn(who, part.nodeRealmId)
    outcomes.push(
      isTheirs
        ? { part, result: 'not yours', problem: THEIRS }
        : await decideOne(api, place, part, body)
    )
  }
  return outcomes
}

async function decideOne(
  api: Api,
  place: Place,
  part: Part,
  body: { approvalStatus: Verdict }
): Promise<Outcome> {
  try {
    const made = await api.change('POST', place.service, pathOf(place, part.id), body)
    return {
      part,
      result: made === undefined ? 'planned' : body.approvalStatus,
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

async function showOutcomes(
  { output }: Invocation,
  api: Api,
  outcomes: readonly Outcome[],
  kind: string
): Promise<void> {
  const realm = await realmNames(api)
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
