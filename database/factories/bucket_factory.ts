import factory from '@adonisjs/lucid/factories'

import { generateName } from '#core/names/generate_name'
import { Bucket } from '#storage/buckets/bucket'

/** A bucket without a place in the object store. */
export const BucketFactory = factory.define(Bucket, () => ({ name: generateName() })).build()
