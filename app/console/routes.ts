import type { HttpContext } from '@adonisjs/core/http'

import { anyone } from '#kernel/access'
import type { Surface, SurfaceRoutes } from '#http/surface'
import { healthRoutes } from '#openapi/common_routes'
import { analysisRoutes } from '#console/analyses/routes'
import { approvalRoutes } from '#console/approvals/routes'
import { liveRoutes } from '#console/live/routes'
import { needsRoutes } from '#console/needs/routes'
import { nodeRoutes } from '#console/nodes/routes'
import { PageRoutes } from './page_routes.js'
import { PageRunner } from './page_runner.js'
import { projectRoutes } from '#console/projects/routes'
import { auditRoutes } from '#console/audit/routes'
import { peopleRoutes } from '#console/people/routes'
import { signInRoutes } from '#console/sign_in/routes'
import { systemRoutes } from '#console/system/routes'
import { Views } from './views.js'

/** The pages for administrators. They show only what the public interface shows to the signed-in user. */
const consoleSurface: Surface = {
  name: 'console',
  title: 'Console',
  summary: 'Pages for administrators: open decisions, nodes, analyses, people and the system',
  routes(routes) {
    const pages = new PageRoutes(routes)
    signInRoutes(pages)
    needsRoutes(pages)
    approvalRoutes(pages)
    analysisRoutes(pages)
    projectRoutes(pages)
    nodeRoutes(pages)
    auditRoutes(pages)
    peopleRoutes(pages)
    systemRoutes(pages)
    liveRoutes(pages)
    assetRoutes(routes)
    healthRoutes(routes)
  },
  async showFailure(ctx, failure) {
    const runner = await ctx.containerResolver.make(PageRunner)
    await runner.showFailure(ctx, failure)
  },
}

export default consoleSurface

function assetRoutes(routes: SurfaceRoutes): void {
  routes.get('/assets/:file', sendAsset, {
    name: 'readAsset',
    summary: 'Read the style sheet, script or icon of the pages',
    access: anyone,
    responses: { 200: { description: 'The file', contentType: 'text/css; charset=utf-8' } },
  })
}

async function sendAsset(ctx: HttpContext): Promise<void> {
  const { assets } = await ctx.containerResolver.make(Views)
  assets.send(ctx, ctx.params.file)
}
