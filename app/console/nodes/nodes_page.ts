import type { Page, View } from '#console/page'

interface NodeRow {
  readonly id: string
  readonly name: string
  readonly online: boolean
}

/** The nodes. */
export async function showNodes(page: Page): Promise<View> {
  const { data } = await page.hub.list<NodeRow>('core', '/nodes', {
    'page[limit]': 50,
    'sort': 'name',
  })
  return page.view('nodes/list', { title: page.t('nodes.title'), nodes: data })
}
