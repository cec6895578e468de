import { where, type Condition } from '#query/condition'

/** The realms whose records an actor sees; null stands for records without a realm. */
export interface VisibleRealms {
  readonly property: string
  readonly realms: readonly (string | null)[]
}

export const inAnyRealm = ({ property, realms }: VisibleRealms): Condition =>
  where.in(property, realms)

/** One condition per realm; each record matches at most one. */
export const perRealm = ({ property, realms }: VisibleRealms): Condition[] =>
  realms.map((realm) => where.eq(property, realm))
