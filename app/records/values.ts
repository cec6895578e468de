/** A record as a statement answers it, of whatever kind. */
export type Values = Record<string, unknown>
