import { tryParseJson } from '#kernel/try_parse_json'
import { isObject } from '#oci/manifest'
import { stringEntries } from './string_entries.js'

export const PAYLOAD_TYPE = 'application/vnd.dev.cosign.simplesigning.v1+json'
export const SIGNATURE_ANNOTATION = 'dev.cosignproject.cosign/signature'

const TYPE = 'cosign container image signature'

/** The payload of a cosign signature. */
export interface Claim {
  readonly digest: string
  readonly identity: string
  /** Checked with `cosign verify -a name=value`. */
  readonly optional: Readonly<Record<string, string>>
}

export function payloadOf({ digest, identity, optional }: Claim): Buffer {
  return Buffer.from(
    JSON.stringify({
      critical: {
        identity: { 'docker-reference': identity },
        image: { 'docker-manifest-digest': digest },
        type: TYPE,
      },
      optional: { creator: 'analysis-hub', ...optional },
    })
  )
}

/** Parses a payload whose signature was verified. Returns undefined for other formats. */
export function parseClaim(payload: Buffer): Claim | undefined {
  const content = tryParseJson(payload.toString())
  const critical = isObject(content) ? content.critical : undefined
  if (!isObject(content) || !isObject(critical) || critical.type !== TYPE) {
    return undefined
  }
  const { image, identity } = critical
  const digest = isObject(image) ? image['docker-manifest-digest'] : undefined
  const name = isObject(identity) ? identity['docker-reference'] : undefined
  if (typeof digest !== 'string' || typeof name !== 'string') {
    return undefined
  }
  return { digest, identity: name, optional: stringEntries(content.optional) }
}
