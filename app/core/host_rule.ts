import vine from '@vinejs/vine'

import { isHostAndPort } from '#core/registries/host_rules'

const WITH_SCHEME = /^https?:\/\/(?:[^/?#]*@)?([^/?#]*)/i

/**
 * The host of a registry as it is kept: what was entered as an address becomes host and port, without the account that may
 * stand in front of them.
 */
export function normalizeHost(input: string): string {
  const host = input.trim()
  return WITH_SCHEME.exec(host)?.[1]!.toLowerCase() ?? host
}

/** As it may be sent. Numbers that are no address and ports above all are refused, too, which no pattern can say. */
const INPUT_PATTERN =
  '^ *(https?://([^/?#]*@)?)?([A-Za-z0-9_.-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?([/?#].*)? *$'

const MESSAGE = 'A host is a name or an address, and a port if it needs one'

const isHost = vine.createRule(
  (value, _options: undefined, field) => {
    if (typeof value !== 'string') {
      return
    }
    const host = normalizeHost(value)
    if (host.length < 3 || !isHostAndPort(host)) {
      field.report(MESSAGE, 'host', field)
    } else {
      field.mutate(host, field)
    }
  },
  {
    toJSONSchema(schema) {
      schema.pattern = INPUT_PATTERN
      schema.description = `${MESSAGE}; of a whole address these are taken`
      schema.examples = ['registry.example.org:5000']
    },
  }
)

/** A host in a body; the service finds it in the form in which it is kept. */
export const hostRule = () => vine.string().minLength(3).maxLength(512).use(isHost())
