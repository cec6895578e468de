import { where, type Condition } from '#query/condition'

/** The records of some realms, null being those of none: what an actor sees who does not see all of them. */
export interface VisibleRealms {
  readonly property: string
  readonly realms: readonly (string | null)[]
}

export const inAnyRealm = ({ property, realms }: VisibleRealms): Condition =>
  where.in(property, realms)

/** A condition per realm; each record fulfils one of them at most. */
export const perRealm = ({ property, realms }: VisibleRealms): Condition[] =>
  realms.map((realm) => where.eq(property, realm))
