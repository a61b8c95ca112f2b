// The Foyer of the trial: two processes that serve requests and two workers, on the cluster.
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PROGRAM } from '../../test/program.ts'
import { ROOT } from '../foyer.ts'
import type { Cluster } from './cluster.ts'
import { freePorts } from './ports.ts'
import { makeProgram, type Program } from './program.ts'

export type Server = { program: Program; url: string }

export type Foyer = {
  apis: readonly Server[]
  workers: readonly Server[]
  command: (wanted: RegExp, ...args: string[]) => Promise<string>
}

export const makeFoyer = async (
  root: string,
  cluster: Cluster,
  settings: Record<string, string> = {},
): Promise<Foyer> => {
  const logs = join(root, 'logs')
  const dataDir = join(root, 'foyer')
  mkdirSync(dataDir, { recursive: true })
  const env = {
    DATABASE_URL: cluster.databaseUrl,
    REDIS_URL: cluster.redisUrl,
    SECRET_KEY: 'a key for the trial, of forty characters',
    DATA_DIR: dataDir,
    DEMO: 'off',
    HOST: '127.0.0.1',
    // The provider and the receiver of the trial.
    OUTBOUND_ALLOW: '127.0.0.1',
    ...settings,
  }
  const serve = (name: string, role: string, port: number): Server => ({
    url: `http://127.0.0.1:${port}`,
    program: makeProgram({
      name,
      logs,
      command: process.execPath,
      args: [PROGRAM, 'serve', '--role', role],
      env: { ...env, PORT: String(port) },
      cwd: ROOT,
    }),
  })
  const [one, two, three, four] = (await freePorts(4)) as [number, number, number, number]
  return {
    apis: [serve('api-1', 'api', one), serve('api-2', 'api', two)],
    workers: [serve('worker-1', 'worker', three), serve('worker-2', 'worker', four)],
    command: async (wanted, ...args) => {
      const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args], {
        cwd: ROOT,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      })
      const found = wanted.exec(stdout)
      if (!found) throw new Error(`foyer ${args.join(' ')} printed ${stdout}`)
      return found[0]
    },
  }
}
