// Dialogs for screens that seldom open one: the code is loaded with the first. To be rendered inside Suspense.
import { lazy } from 'react'

export const Dialog = lazy(() => import('./dialog.tsx').then(({ Dialog }) => ({ default: Dialog })))
export const ConfirmDialog = lazy(() =>
  import('./dialog.tsx').then(({ ConfirmDialog }) => ({ default: ConfirmDialog })),
)
export const DeleteDialog = lazy(() =>
  import('./delete-dialog.tsx').then(({ DeleteDialog }) => ({ default: DeleteDialog })),
)
export const FormDialog = lazy(() =>
  import('./form-dialog.tsx').then(({ FormDialog }) => ({ default: FormDialog })),
)
