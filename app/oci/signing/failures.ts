import { ImageFailure } from '#oci/errors'

export type RefusalCode = 'signatureMissing' | 'signatureInvalid' | 'signatureOfAnother'

const SENTENCES: Readonly<Record<RefusalCode, string>> = {
  signatureMissing:
    'The image has no signature: whoever put it there is not the builder of the hub',
  signatureInvalid: 'No signature of the image is by a key that is accepted',
  signatureOfAnother: 'The signature is of another image: this one was put in its place',
}

/** An image that nobody should run: it is not known to be what the hub built. */
export class ImageRefused extends ImageFailure {
  constructor(
    readonly code: RefusalCode,
    readonly digest: string
  ) {
    super(`${SENTENCES[code]} (${digest})`)
  }
}
