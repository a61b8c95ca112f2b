// The tests that come with Foyer, a file for each kind.
import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Provider } from '../provider/find-provider.ts'
import type { Test } from './evaluate.ts'
import { reasonToSkip } from './not-tried.ts'
import { readScenarios } from './read-scenarios.ts'

const FOLDER = new URL('../scenarios/', import.meta.url)

export type ShippedTest = Test & { id: string }

let shipped: Promise<ShippedTest[]> | undefined

/** Read once. An id names the kind and the test, and stays as long as the name. */
export const listShipped = (): Promise<ShippedTest[]> => (shipped ??= readShipped())

/** Those that need nothing but a workspace's own model, or none. */
export const listPlayable = async (provider: Provider | null): Promise<ShippedTest[]> =>
  (await listShipped()).filter(({ scenario }) => reasonToSkip(scenario, provider) === null)

const readShipped = async (): Promise<ShippedTest[]> => {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.json')).sort()
  const lists = await Promise.all(
    files.map(async (file) => {
      const kind = basename(file, '.json')
      const scenarios = readScenarios(file, JSON.parse(await readFile(new URL(file, FOLDER), 'utf8')))
      return scenarios.map((scenario) => ({ id: `${kind}.${slugOf(scenario.name)}`, kind, scenario }))
    }),
  )
  return lists.flat()
}

const slugOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
