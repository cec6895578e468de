import { SUBJECTS } from '#console/approvals/participation'
import { nameIn, realmNames, userNames } from '#console/names'
import type { Page, View } from '#console/page'
import { findInstallationState } from './installation_findings.js'
import { findTroubled } from './troubled_analyses.js'
import { decidesForOthers, findWaiting } from './waiting.js'

/** Shows what needs the user: open decisions, failed analyses, and findings about the installation. */
export async function showNeeds(page: Page): Promise<View> {
  const [own, others, troubled, installation] = await Promise.all([
    Promise.all(SUBJECTS.map((subject) => findWaiting(page, subject, { ofOthers: false }))),
    Promise.all(
      decidesForOthers(page)
        ? SUBJECTS.map((subject) => findWaiting(page, subject, { ofOthers: true }))
        : []
    ),
    findTroubled(page),
    findInstallationState(page),
  ])
  const rows = [...own, ...others].flatMap((waiting) => waiting.rows)
  const [realms, users] = await Promise.all([
    realmNames(
      page,
      rows.map(({ realmId }) => realmId)
    ),
    userNames(
      page,
      rows.map(({ userId }) => userId)
    ),
  ])
  const waiting = own.reduce((sum, { total }) => sum + total, 0)
  return page.view('needs/overview', {
    title: page.t('needs.title'),
    count: waiting + troubled.total + (installation?.findings.length ?? 0),
    waiting,
    own,
    others: others.filter(({ total }) => total > 0),
    troubled,
    installation,
    realmOf: (id: string) => nameIn(realms, id),
    userOf: (id: string | null) => (id === null ? undefined : users.get(id)),
  })
}
