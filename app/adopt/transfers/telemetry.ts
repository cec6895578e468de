import { REPORTED_BY_ADOPTION } from '#telemetry/events/reporter'
import { asSealed, type EventRow } from '#telemetry/trail/read_chain'
import { sealEvents } from '#telemetry/trail/seal_events'
import type { Transfer, Values } from '#adopt/transfer'

/** Events enter the audit trail unchanged. Batches are sealed together, so they are read in order of time. */
export const TELEMETRY: readonly Transfer[] = [
  {
    service: 'telemetry',
    table: 'events',
    columns: [
      ...['id', 'scope', 'name', 'ref_type', 'ref_id', 'data', 'expiring', 'request_path'],
      ...['request_method', 'request_ip_address', 'request_user_agent', 'actor_type', 'actor_id'],
      ...['actor_name', 'realm_id', 'expires_at', 'created_at', 'updated_at'],
    ],
    order: ['created_at', 'id'],
    json: { data: 'document' },
    computed: { reported_by: `'${REPORTED_BY_ADOPTION}'` },
    isFixed: true,
    isKept: true,
    async afterInsert(transaction, rows) {
      await sealEvents(transaction, rows.map(asRow).map(asSealed))
    },
  },
]

/** Converts the values of an event to the row that the trail reads. */
function asRow(values: Values): EventRow {
  const text = (name: string) => values[name] as string | null
  const given = (name: string) => values[name] as string
  return {
    id: given('id'),
    scope: given('scope'),
    name: given('name'),
    ref_type: given('ref_type'),
    ref_id: text('ref_id'),
    data: text('data'),
    expiring: values.expiring === true,
    request_path: text('request_path'),
    request_method: text('request_method'),
    request_ip_address: text('request_ip_address'),
    request_user_agent: text('request_user_agent'),
    actor_type: text('actor_type'),
    actor_id: text('actor_id'),
    actor_name: text('actor_name'),
    realm_id: text('realm_id'),
    expires_at: text('expires_at'),
    created_at: given('created_at'),
    updated_at: given('updated_at'),
    reported_by: REPORTED_BY_ADOPTION,
  }
}
