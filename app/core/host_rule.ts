import vine from '@vinejs/vine'

import { isHostAndPort } from '#core/registries/host_rules'

const WITH_SCHEME = /^https?:\/\/(?:[^/?#]*@)?([^/?#]*)/i

/** Normalizes the host of a registry. A URL becomes host and port, without credentials. */
export function normalizeHost(input: string): string {
  const host = input.trim()
  return WITH_SCHEME.exec(host)?.[1]!.toLowerCase() ?? host
}

/** The pattern of valid input. The rule also rejects invalid addresses and ports, which a pattern cannot express. */
const INPUT_PATTERN =
  '^ *(https?://([^/?#]*@)?)?([A-Za-z0-9_.-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?([/?#].*)? *$'

const MESSAGE = 'A host is a name or an IP address, with an optional port'

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
      schema.description = `${MESSAGE}. Of a URL, only host and port are used`
      schema.examples = ['registry.example.org:5000']
    },
  }
)

/** The rule of a host in a body. The service receives the normalized host. */
export const hostRule = () => vine.string().minLength(3).maxLength(512).use(isHost())
