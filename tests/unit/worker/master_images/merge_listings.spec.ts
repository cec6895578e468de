import { test } from '@japa/runner'

import { mergeListings } from '#worker/master_images/merge_listings'
import type { Fault, ListedImage, Listing } from '#worker/master_images/sources/listing'

const NONE = { images: [], groups: [] }

function image(virtualPath: string, command = 'python3'): ListedImage {
  return { name: virtualPath, path: virtualPath, virtualPath, command, commandArguments: [] }
}

function broken(virtualPath: string, kind: Fault['kind'] = 'image'): Fault {
  return { kind, virtualPath, message: 'it is broken' }
}

function listing(some: Partial<Listing>): Listing {
  return { images: [], groups: [], faults: [], ...some }
}

const pathsOf = (list: readonly { readonly virtualPath: string }[]) =>
  list.map(({ virtualPath }) => virtualPath)

test.group('Synchronization of master images', () => {
  test('a broken image is reported as the platform knows it', ({ assert }) => {
    const known = {
      name: 'base',
      path: 'python/base',
      virtualPath: 'python/base',
      command: 'python2',
      commandArguments: [{ value: '-u', position: 'before' as const }],
    }
    const { images } = mergeListings(
      [listing({ images: [image('r')], faults: [broken('python/base')] })],
      { images: [known, image('gone')], groups: [] }
    )

    assert.deepEqual(images, [image('r'), known])
  })

  test('a broken image unknown to the platform is left out', ({ assert }) => {
    const { images } = mergeListings(
      [listing({ images: [image('r')], faults: [broken('new')] })],
      NONE
    )

    assert.deepEqual(pathsOf(images), ['r'])
  })

  test('a broken group is reported as the platform knows it', ({ assert }) => {
    const { groups } = mergeListings([listing({ faults: [broken('r', 'group')] })], {
      images: [image('r')],
      groups: [{ virtualPath: 'r', name: 'R', path: null }],
    })

    assert.deepEqual(groups, [{ virtualPath: 'r', name: 'R', path: 'r' }])
  })

  test('an image that no source lists is left out', ({ assert }) => {
    const { images } = mergeListings([listing({ images: [image('r')] })], {
      images: [image('r'), image('python')],
      groups: [],
    })

    assert.deepEqual(pathsOf(images), ['r'])
  })

  test('the first source that lists an image wins, even if it is broken there', ({ assert }) => {
    const { images } = mergeListings(
      [
        listing({ images: [image('r', 'Rscript')], faults: [broken('python')] }),
        listing({ images: [image('r', 'littler'), image('python', 'pypy')] }),
      ],
      { images: [image('python', 'python2')], groups: [] }
    )

    assert.deepEqual(
      images.map(({ virtualPath, command }) => [virtualPath, command]),
      [
        ['r', 'Rscript'],
        ['python', 'python2'],
      ]
    )
  })
})
