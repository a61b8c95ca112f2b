import { useMutation } from '@tanstack/react-query'
import { MoreHorizontal, Pencil, Plus, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { useApi } from '../../state/session.tsx'
import type { Permission, Role } from '../../state/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { DeleteDialog, FormDialog } from '../../ui/lazy-dialogs.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { PERMISSIONS, permissionLabel } from './permissions.ts'
import { useSetting, useSettingsChanged } from './use-setting.ts'

type Open = { what: 'edit'; role: Role | null } | { what: 'delete'; role: Role }

export const RolesSettings = () => {
  const { data, error, refetch } = useSetting<{ roles: Role[] }>('roles', '/roles')
  const [open, setOpen] = useState<Open | null>(null)
  return (
    <SidePage
      title={t`Roles`}
      about={t`What agents can do. Admins have full access. Everyone can reply to conversations they can see.`}
      actions={
        <Button variant="primary" icon={Plus} onClick={() => setOpen({ what: 'edit', role: null })}>
          {t`New role`}
        </Button>
      }
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={2} />
      ) : (
        <ItemList label={t`Roles`}>
          {data.roles.map((role) => (
            <RoleItem
              key={role.id}
              role={role}
              onEdit={() => setOpen({ what: 'edit', role })}
              onDelete={() => setOpen({ what: 'delete', role })}
            />
          ))}
        </ItemList>
      )}
      <Suspense>
        {open?.what === 'edit' && <EditRole role={open.role} onClose={() => setOpen(null)} />}
        {open?.what === 'delete' && (
          <DeleteRole
            role={open.role}
            fallback={data?.roles.find(({ isDefault }) => isDefault)?.name ?? t`the default role`}
            onClose={() => setOpen(null)}
          />
        )}
      </Suspense>
    </SidePage>
  )
}

const membersWords = (count: number): string =>
  count === 0 ? t`no members` : count === 1 ? t`1 member` : t`${count} members`

const RoleItem = ({ role, onEdit, onDelete }: { role: Role; onEdit: () => void; onDelete: () => void }) => (
  <Item
    title={
      <>
        <bdi>{role.name}</bdi>
        {role.isDefault && <Badge>{t`Default`}</Badge>}
      </>
    }
    about={
      role.permissions.length === 0
        ? t`Only their own conversations`
        : role.permissions.length === PERMISSIONS.length
          ? t`Everything except admin settings`
          : role.permissions.map(permissionLabel).join(', ')
    }
    meta={membersWords(role.memberCount)}
    actions={
      <Menu
        label={t`Actions for ${role.name}`}
        trigger={<IconButton icon={MoreHorizontal} label={t`Actions for ${role.name}`} hasTooltip={false} />}
      >
        <MenuItem icon={Pencil} onSelect={onEdit}>
          {t`Edit`}
        </MenuItem>
        <MenuItem icon={Trash2} isDanger isDisabled={role.isDefault} onSelect={onDelete}>
          {role.isDefault ? t`You can’t delete the default role` : t`Delete`}
        </MenuItem>
      </Menu>
    }
  />
)

const EditRole = ({ role, onClose }: { role: Role | null; onClose: () => void }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const [allowed, setAllowed] = useState<readonly Permission[]>(
    role?.permissions ?? ['see_all_conversations'],
  )
  const save = useMutation<unknown, ApiError, string>({
    mutationFn: (name) =>
      role
        ? api.patch(`/roles/${role.id}`, { name, permissions: allowed })
        : api.post('/roles', { name, permissions: allowed }),
    onSuccess: async () => {
      await changed()
      toast(role ? t`Saved` : t`Role created`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={role ? t`Edit role` : t`New role`}
      about={
        role?.isDefault
          ? t`The default role for members without another one.`
          : role && role.memberCount > 0
            ? t`Applies to ${membersWords(role.memberCount)} as soon as you save.`
            : undefined
      }
      submitLabel={role ? t`Save` : t`Create role`}
      save={save}
      onSubmit={({ name = '' }) => save.mutate(name.trim())}
      onClose={onClose}
    >
      <TextField
        label={t`Name`}
        name="name"
        defaultValue={role?.name}
        maxLength={60}
        autoFocus
        autoComplete="off"
      />
      <fieldset className="stack stack--tight">
        <legend className="field__label">{t`Permissions`}</legend>
        {PERMISSIONS.map(({ id, label, about }) => (
          <Checkbox
            key={id}
            label={label}
            hint={about}
            checked={allowed.includes(id)}
            onChange={({ target }) =>
              setAllowed(target.checked ? [...allowed, id] : allowed.filter((other) => other !== id))
            }
          />
        ))}
      </fieldset>
    </FormDialog>
  )
}

const DeleteRole = ({ role, fallback, onClose }: { role: Role; fallback: string; onClose: () => void }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  return (
    <DeleteDialog
      what={t`role`}
      name={role.name}
      about={
        role.memberCount === 0
          ? t`No members have this role.`
          : t`Its ${membersWords(role.memberCount)} will get the role “${fallback}” immediately.`
      }
      onClose={onClose}
      onDelete={async () => {
        await api.delete(`/roles/${role.id}`)
        await changed()
      }}
    />
  )
}
