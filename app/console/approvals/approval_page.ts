import { nameIn, realmNames, userNames } from '#console/names'
import type { Page, PageResult, View } from '#console/page'
import { PageNotFound } from '#console/page_not_found'
import { changesSince } from './changes_since.js'
import { readContent, type Content } from './content.js'
import {
  COLLECTIONS,
  commandFor,
  mayDecide,
  nameOfSubject,
  SUBJECTS,
  subjectOf,
  type Participation,
  type Subject,
  type Verdict,
} from './participation.js'

const VERDICTS: readonly Verdict[] = ['approved', 'rejected']

/** Shows a decision: the request, who made it, the changes since the last one, and the effect of each answer. */
export async function showApproval(page: Page): Promise<View> {
  const { subject, part } = await readPart(page)
  const about = subjectOf(subject, part)
  const content = part.analysis && (await readContent(page, part.analysis.id))
  const [changes, realms, users, project] = await Promise.all([
    subject === 'analysis' ? changesSince(page, part.id) : undefined,
    realmNames(page, [about.realmId, part.nodeRealmId]),
    userNames(page, [about.userId]),
    readProject(page, part),
  ])
  const realmOf = (id: string) => nameIn(realms, id)
  return page.view('approvals/one', {
    title: page.t(`approvals.title.${subject}`, { name: nameOfSubject(about) }),
    subject,
    part,
    about,
    project,
    content,
    changes,
    user: about.userId === null ? undefined : (users.get(about.userId) ?? about.userId),
    realm: realmOf(about.realmId),
    nodeRealm: realmOf(part.nodeRealmId),
    isOnBehalf: page.actor.realmId !== part.nodeRealmId,
    mayDecide: mayDecide(page, subject, part),
    decisions: verdictsFor(subject, part, content).map((verdict) => ({
      verdict,
      command: commandFor(subject, part, verdict),
    })),
  })
}

/** Without visible content, the page offers no approval. */
function verdictsFor(subject: Subject, part: Participation, content: Content | undefined) {
  return VERDICTS.filter(
    (verdict) =>
      verdict !== part.approvalStatus &&
      (verdict === 'rejected' || subject === 'project' || content !== undefined)
  )
}

/** Decides. The content digest of the page is sent along, so that only the shown content is approved. */
export async function decide(page: Page): Promise<PageResult> {
  const subject = subjectIn(page)
  const id = page.uuid('id')
  const { verdict, comment = '', contentDigest = '' } = page.form
  const approvalStatus = VERDICTS.find((one) => one === verdict)
  if (!approvalStatus) {
    throw new PageNotFound()
  }
  // Core rejects an empty digest. Without a digest, the approval would apply to the content at that time.
  const needsDigest =
    contentDigest !== '' || (subject === 'analysis' && approvalStatus === 'approved')
  await page.hub.post('core', `${COLLECTIONS[subject]}/${id}`, {
    approvalStatus,
    ...(comment.trim() !== '' && { comment: comment.trim() }),
    ...(needsDigest && { contentDigest }),
  })
  return page.redirect(`/approvals/${subject}/${id}`, `approvals.done.${approvalStatus}`)
}

function subjectIn({ params }: Page): Subject {
  const subject = SUBJECTS.find((one) => one === params.subject)
  if (!subject) {
    throw new PageNotFound()
  }
  return subject
}

async function readPart(page: Page): Promise<{ subject: Subject; part: Participation }> {
  const subject = subjectIn(page)
  const path = `${COLLECTIONS[subject]}/${page.uuid('id')}`
  const query = { include: `node,${subject}` }
  const { data: part } = await page.hub.read<{ data: Participation }>('core', path, query)
  return { subject, part }
}

/** The project of an analysis, which explains the request. */
async function readProject(page: Page, { analysis }: Participation) {
  const project =
    analysis &&
    (await page.hub.optional(
      page.hub.read<{ data: { id: string; name: string; displayName: string | null } }>(
        'core',
        `/projects/${analysis.projectId}`
      )
    ))
  return project?.data
}
