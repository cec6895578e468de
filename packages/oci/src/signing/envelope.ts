import { tryParseJson } from '#kernel/try_parse_json'
import { isObject } from '#oci/manifest'
import type { ImageKey } from './image_key.js'
import type { SigningKey } from './signing_key.js'

export const ENVELOPE_TYPE = 'application/vnd.dsse.envelope.v1+json'

const PAYLOAD_TYPE = 'application/vnd.in-toto+json'
const MAX_SIGNATURES = 16

/** Signs a statement as a DSSE envelope. */
export function signEnvelope(statement: object, key: SigningKey): Buffer {
  const payload = Buffer.from(JSON.stringify(statement))
  const signature = {
    keyid: key.public.fingerprint,
    sig: key.sign(signedBytes(payload)).toString('base64'),
  }
  return Buffer.from(
    JSON.stringify({
      payloadType: PAYLOAD_TYPE,
      payload: payload.toString('base64'),
      signatures: [signature],
    })
  )
}

export interface OpenedEnvelope {
  readonly statement: unknown
  readonly key: ImageKey
}

/** The statement of an envelope signed by one of the keys, otherwise undefined. */
export function openEnvelope(bytes: Buffer, keys: readonly ImageKey[]): OpenedEnvelope | undefined {
  const envelope = tryParseJson(bytes.toString())
  if (
    !isObject(envelope) ||
    envelope.payloadType !== PAYLOAD_TYPE ||
    typeof envelope.payload !== 'string' ||
    !Array.isArray(envelope.signatures)
  ) {
    return undefined
  }
  const payload = Buffer.from(envelope.payload, 'base64')
  const signed = signedBytes(payload)
  const signatures = envelope.signatures.slice(0, MAX_SIGNATURES).map(signatureIn)
  const key = keys.find((one) => signatures.some((signature) => one.verifies(signed, signature)))
  return key && { statement: tryParseJson(payload.toString()), key }
}

/** DSSE signs type and length too, so that a payload cannot be reinterpreted. */
function signedBytes(payload: Buffer): Buffer {
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `
  return Buffer.concat([Buffer.from(head), payload])
}

function signatureIn(entry: unknown): Buffer {
  return Buffer.from(isObject(entry) && typeof entry.sig === 'string' ? entry.sig : '', 'base64')
}
