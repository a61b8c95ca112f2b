// Flows as files, and names for copies.
import type { QueryClient } from '@tanstack/react-query'
import type { WorkspaceApi } from '../../state/api.ts'
import { flowsQuery } from '../../state/flows.ts'
import { saveFile } from '../../state/save-file.ts'
import { t } from '../../words/t.ts'

const FILE_BYTES_MAX = 4 * 1024 * 1024
const NAME_MAX = 120

/** The draft, its tests and the names of what it refers to. */
export const downloadFlow = async (api: WorkspaceApi, flow: { id: string; name: string }): Promise<void> => {
  const file = await api.get<object>(`/flows/${flow.id}/export`)
  const name = flow.name.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'flow'
  saveFile(`${name}.json`, `${JSON.stringify(file, null, 2)}\n`, 'application/json')
}

/** What an export wrote, or a definition alone. Throws with words for the author if the file is neither. */
const readFlowFile = async (file: File): Promise<{ name: string; value: unknown }> => {
  if (file.size > FILE_BYTES_MAX) throw new Error(t`The file is too large to be a flow.`)
  let value: unknown
  try {
    value = JSON.parse(await file.text())
  } catch {
    throw new Error(t`The file isn’t valid JSON.`)
  }
  const given = (value as { name?: unknown } | null)?.name
  const name = typeof given === 'string' && given !== '' ? given : file.name.replace(/\.json$/i, '')
  return { name: name.slice(0, NAME_MAX), value }
}

export const importFlow = async (
  client: QueryClient,
  api: WorkspaceApi,
  file: File,
): Promise<{ flowId: string; problems: { message: string }[] }> => {
  const { name, value } = await readFlowFile(file)
  return api.post('/flows/import', { file: value, name: await freeName(client, api, name) })
}

/** `Welcome` becomes "Welcome 2" while there is another of that name. */
export const freeName = async (client: QueryClient, api: WorkspaceApi, name: string): Promise<string> => {
  const { flows } = await client.fetchQuery(flowsQuery(api))
  const taken = new Set(flows.map((flow) => flow.name.toLowerCase()))
  if (!taken.has(name.toLowerCase())) return name
  let number = 2
  while (taken.has(`${name} ${number}`.toLowerCase())) number += 1
  return `${name.slice(0, NAME_MAX - 4)} ${number}`
}
