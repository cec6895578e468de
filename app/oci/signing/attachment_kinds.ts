import { ENVELOPE_TYPE } from './envelope.js'
import { PAYLOAD_TYPE } from './simple_signing.js'

/** Something that is kept beside an image and is about it. */
export interface AttachmentKind {
  readonly artifactType: string
  readonly layerType: string
  /** What cosign puts behind the digest of the image, to find it where a registry lists no referrers. */
  readonly suffix: string
  /** The most that one of its layers may hold. */
  readonly limit: number
}

export const SIGNATURE: AttachmentKind = {
  artifactType: 'application/vnd.dev.cosign.artifact.sig.v1+json',
  layerType: PAYLOAD_TYPE,
  suffix: 'sig',
  limit: 64 * 1024,
}

/** A statement names each file that went into an image. */
export const PROVENANCE: AttachmentKind = {
  artifactType: 'application/vnd.dev.cosign.artifact.att.v1+json',
  layerType: ENVELOPE_TYPE,
  suffix: 'att',
  limit: 16 * 1024 * 1024,
}

export const attachmentTag = (digest: string, { suffix }: AttachmentKind): string =>
  `${digest.replace(':', '-')}.${suffix}`
