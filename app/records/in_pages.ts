import type { ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'

import type { ModelClass } from './model.js'

const PAGE_SIZE = 100

/** The records that a query finds, sorted by id and read in pages, so that they may be removed meanwhile. */
export async function* inPages<M extends ModelClass>(
  query: ModelQueryBuilderContract<M>
): AsyncGenerator<InstanceType<M>> {
  query.orderBy('id').limit(PAGE_SIZE)
  let page = await query.clone()
  yield* page
  while (page.length === PAGE_SIZE) {
    page = await query.clone().where('id', '>', page.at(-1)!.id)
    yield* page
  }
}
