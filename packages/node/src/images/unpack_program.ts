/*
 * Unpacks one image: its layers come through the standard input. It is a process of its own, so that an image can neither
 * keep the node from its work nor take the node's memory.
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
