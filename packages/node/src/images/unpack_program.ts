/*
 * Unpacks one image, whose layers are read from standard input. A separate process bounds the processor time and memory
 * that an image can use.
 */
import { setPriority } from 'node:os'

import { NodeFailure } from '#node/errors'
import { isImageFailure } from '#oci/errors'
import { unpackLayers, type UnpackRequest } from './unpack_layers.js'

export type UnpackAnswer =
  { readonly bytes: number } | { readonly problem: string; readonly isOfImage: boolean }

const LOW_PRIORITY = 10

const answer = (message: UnpackAnswer): void => {
  process.send!(message, () => process.exit())
}

setPriority(LOW_PRIORITY)
process.on('disconnect', () => process.exit())
process.once('message', (request: UnpackRequest) => {
  unpackLayers(request, process.stdin)
    .then((bytes) => answer({ bytes }))
    .catch((error: Error) => {
      const isOfImage = error instanceof NodeFailure || isImageFailure(error)
      answer({ problem: error.message, isOfImage })
    })
})
