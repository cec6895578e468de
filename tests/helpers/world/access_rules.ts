import type { Actor } from '#kernel/actor'
import { isMasterMember } from '#kernel/realm'
import type { Row } from './row.js'
import type { WorldIdentity } from './world_identity.js'

/** Who may, in words that complete "May: …", and as a test of an identity and a row. */
export interface Rule {
  readonly says: string
  readonly allows: (by: WorldIdentity, row: Row) => boolean
}

type ActorTest = (actor: Actor, row: Row, by: WorldIdentity) => boolean

/** A rule that nobody meets without a login. */
const rule = (says: string, test: ActorTest): Rule => ({
  says,
  allows: (by, row) => by.actor !== undefined && test(by.actor, row, by),
})

export const anybody: Rule = { says: 'anybody', allows: () => true }
export const loggedIn = rule('whoever is logged in', () => true)
export const loggedInAtProvider = rule(
  'who is logged in at the embedded provider',
  (_actor, _row, by) => by.issued !== undefined
)
export const noOne: Rule = { says: 'nobody', allows: () => false }

const isOfRealm = (actor: Actor, realmId: string | null | undefined) =>
  isMasterMember(actor) || (typeof realmId === 'string' && actor.realmId === realmId)

export const inRealm = rule('in the realm of the record', (actor, { realmId }) =>
  isOfRealm(actor, realmId)
)
export const inNodeRealm = rule('in the realm of the node', (actor, { nodeRealmId }) =>
  isOfRealm(actor, nodeRealmId)
)
/** The records that a realm sees beside its own: those of no realm. */
export const inRealmOrNone = rule(
  'in the realm of the record, or of any realm where it has none',
  (actor, { realmId }) => realmId === null || isOfRealm(actor, realmId)
)
export const inMaster = rule('in the realm `master`', isMasterMember)
export const inPartRealm = rule(
  'in a realm that takes part in the analysis',
  (actor, { realmId, analysis }) =>
    [realmId, ...partRealms(analysis)].some((each) => isOfRealm(actor, each))
)
export const inAssignedRealm = rule(
  'in the realm of a node that is assigned to the analysis',
  (actor, { analysis }) => partRealms(analysis).some((each) => isOfRealm(actor, each))
)

const partRealms = (analysis: Row['analysis']) =>
  (analysis?.parts ?? []).map(({ realmId }) => realmId)

/** Holders of one of these permissions. */
export const holding = (...names: string[]): Rule =>
  rule(`with ${names.map((name) => `\`${name}\``).join(' or ')}`, ({ permissions }) =>
    names.some((name) => permissions.has(name))
  )

/** Nobody grants what they do not have and could not make up. */
export const couldGrant: Rule = {
  ...holding('permission_create'),
  says: 'who has the permission in question, or `permission_create` where the realm made it up,',
}

export const user = rule('a person', ({ kind }) => kind === 'user')
export const program = rule('a client or robot', ({ kind }) => kind !== 'user')
export const itself = rule('the record itself', ({ id }, row) => id === row.id)
export const owner = rule('who made it', ({ id }, { ownerId }) => id === ownerId)
export const uploader = rule('who began it', ({ id }, { uploaderId }) => id === uploaderId)
export const author = rule(
  'who made the analysis',
  ({ id }, { analysis }) => id === analysis?.creatorId
)
export const itsClient = rule(
  'its own client',
  ({ kind, id }, { clientId }) => kind === 'client' && id === clientId
)
/** The client of the analysis that a row is a part of. */
export const clientOfAnalysis = rule(
  'the client of the analysis',
  (_actor, { analysis }, by) => by.analysisId !== undefined && by.analysisId === analysis?.id
)
export const clientOfApprovingNode = rule(
  'the client of a node that approved the analysis',
  ({ id }, { analysis }) =>
    (analysis?.parts ?? []).some(
      ({ clientId, decision }) => clientId === id && decision === 'approved'
    )
)
/** A program acts for its record, never for its realm. */
export const forItself = rule(
  'unless it is the client of a node or an analysis',
  (_actor, _row, by) => by.nodeId === undefined && by.analysisId === undefined
)
export const clientOfNoNode = rule(
  'unless it is the client of a node',
  (_actor, _row, by) => by.nodeId === undefined
)
export const notOfAnotherNode = rule(
  'unless it is the client of another node',
  ({ id }, { clientId }, by) => by.nodeId === undefined || id === clientId
)

const ofType = (says: string, ...types: readonly string[]): Rule => ({
  says,
  allows: (_by, { analysis }) => types.includes(analysis?.type ?? ''),
})
export const codeOnly = ofType('if it is CODE', 'CODE')
export const resultOrTemp = ofType('if it is RESULT or TEMP', 'RESULT', 'TEMP')
export const ofNoAnalysis: Rule = {
  says: 'if it belongs to no analysis',
  allows: (_by, { analysis }) => analysis === undefined,
}
export const ofAnalysis: Rule = {
  says: 'if it belongs to an analysis',
  allows: (_by, { analysis }) => analysis !== undefined,
}

export const all = (...rules: readonly Rule[]): Rule => ({
  says: rules.map(({ says }) => says).join(' '),
  allows: (by, row) => rules.every((each) => each.allows(by, row)),
})

/** A rule by a name that stands for its parts. */
export const named = (says: string, { allows }: Rule): Rule => ({ says, allows })

export const either = (...rules: readonly Rule[]): Rule => ({
  says: rules.map(({ says }) => says).join('; '),
  allows: (by, row) => rules.some((each) => each.allows(by, row)),
})
