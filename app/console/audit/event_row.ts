/** An event of the audit trail, as the interface sends it. */
export interface EventRow {
  readonly id: string
  readonly scope: string
  readonly name: string
  readonly refType: string
  readonly refId: string | null
  readonly data: { readonly diff?: Readonly<Record<string, EventChange>> } | null
  readonly requestPath: string | null
  readonly requestMethod: string | null
  readonly requestIpAddress: string | null
  readonly requestUserAgent: string | null
  readonly actorType: string | null
  readonly actorId: string | null
  readonly actorName: string | null
  readonly realmId: string | null
  readonly expiresAt: string | null
  readonly createdAt: string
  readonly reportedBy: { readonly type: string; readonly id?: string | null } | null
}

/** The values of an attribute after and before a change. */
export interface EventChange {
  readonly next: unknown
  readonly previous: unknown
}

/** One page of a search. */
export interface FoundEvents {
  readonly data: readonly EventRow[]
  readonly meta: { readonly next: string | null }
}

/** The attributes that an event changed, as texts. */
export function changesIn({ data }: Pick<EventRow, 'data'>) {
  return Object.entries(data?.diff ?? {}).map(([name, { next, previous }]) => ({
    name,
    next: changeText(next),
    previous: changeText(previous),
  }))
}

/** The value of an attribute of any type as text. */
export function changeText(value: unknown): string {
  if (value === null || value === undefined) {
    return '–'
  }
  return typeof value === 'string' ? value : JSON.stringify(value)
}
