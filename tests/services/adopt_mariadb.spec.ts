import { adoptionSuite } from '#tests/helpers/adopt/adoption_suite'
import { mountedAs } from '#tests/helpers/application'
import { startMariadb } from '#tests/services/servers/mariadb'

adoptionSuite('MariaDB', async () => {
  const unmount = await mountedAs('together')
  const server = await startMariadb()
  return {
    url: server.url,
    async stop() {
      await server.stop()
      await unmount()
    },
  }
})
