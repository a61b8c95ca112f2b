import Type, { type Static } from 'typebox'
import { Id, Name } from '../schema.ts'

export const WORKSPACE_NAME_MAX = 120

export const Workspace = Type.Object({ id: Id, name: Type.String() }, { title: 'Workspace' })
export type Workspace = Static<typeof Workspace>

export const WorkspaceAnswer = Type.Object({ workspace: Workspace }, { title: 'WorkspaceAnswer' })

export const WorkspaceChange = Type.Object(
  { name: Name(WORKSPACE_NAME_MAX, { description: 'Shown to customers and agents.' }) },
  { title: 'WorkspaceChange' },
)
