import { ENVELOPE_TYPE } from './envelope.js'
import { PAYLOAD_TYPE } from './simple_signing.js'

/** A kind of artifact attached to an image. */
export interface AttachmentKind {
  readonly artifactType: string
  readonly layerType: string
  /** Suffix of the cosign tag, for registries without referrers. */
  readonly suffix: string
  /** Maximum bytes of a layer. */
  readonly limit: number
}

export const SIGNATURE: AttachmentKind = {
  artifactType: 'application/vnd.dev.cosign.artifact.sig.v1+json',
  layerType: PAYLOAD_TYPE,
  suffix: 'sig',
  limit: 64 * 1024,
}

/** Provenance lists every file that went into the image. */
export const PROVENANCE: AttachmentKind = {
  artifactType: 'application/vnd.dev.cosign.artifact.att.v1+json',
  layerType: ENVELOPE_TYPE,
  suffix: 'att',
  limit: 16 * 1024 * 1024,
}

export const attachmentTag = (digest: string, { suffix }: AttachmentKind): string =>
  `${digest.replace(':', '-')}.${suffix}`
