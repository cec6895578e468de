import type { HttpContext } from '@adonisjs/core/http'

import { anyone } from '#kernel/access'
import { catalogue } from '#http/route_catalogue'
import { healthRoutes, METADATA, sendMetadata } from './common_routes.js'
import { docsAreServed, docsRoutes } from './docs_routes.js'
import { html, phrase, sendPage } from '#http/page'
import type { Surface } from '#http/surface'
import { SURFACE_PREFIXES } from '#configuration/surfaces'
import { COMMIT, VERSION } from '#kernel/version'

/** The landing page at `/` if several surfaces share a port. */
export const hub: Surface = {
  name: 'hub',
  title: 'Analysis Hub',
  summary: 'The services at this address',
  routes(routes) {
    routes.get('/', showLanding, {
      name: 'showLanding',
      summary:
        'Show the services at this address, or the version and the time if JSON is preferred',
      access: anyone,
      responses: {
        200: {
          description: 'The page, or the version and the time as JSON',
          schema: METADATA,
          contentType: 'text/html',
        },
      },
    })
    healthRoutes(routes)
    docsRoutes(routes)
  },
}

function showLanding(ctx: HttpContext): void {
  ctx.response.append('vary', 'Accept')
  if (ctx.request.accepts(['html', 'json']) === 'json') {
    return sendMetadata(ctx)
  }
  const surfaces = catalogue.surfaces.filter(({ name }) => name !== 'hub')
  sendPage(
    ctx,
    phrase('product'),
    html`<main>
      <h1>${phrase('product')}</h1>
      <p class="muted">
        ${phrase(COMMIT ? 'landing.commit' : 'landing.version', {
          version: VERSION,
          commit: COMMIT?.slice(0, 12),
        })}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">${phrase('landing.service')}</th>
            <th scope="col">${phrase('landing.address')}</th>
            <th scope="col">${phrase('landing.keeps')}</th>
          </tr>
        </thead>
        <tbody>
          ${surfaces.map(surfaceRow)}
        </tbody>
      </table>
      ${docsAreServed() && linkToDocs()}
    </main>`
  )
}

function linkToDocs() {
  const docs = html`<a href="docs">${phrase('landing.docsLink')}</a>`
  return html`<p>${phrase('landing.docs', { docs })}</p>`
}

function surfaceRow({ name, title, summary }: Surface) {
  const address = `${SURFACE_PREFIXES[name]}/`
  return html`<tr>
    <th scope="row">${title}</th>
    <td>
      <a href="${address.slice(1)}"><code>${address}</code></a>
    </td>
    <td>${summary}</td>
  </tr>`
}
