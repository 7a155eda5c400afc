-- Processes of the release before: may run

-- The oldest stored responses of an organization, which are deleted first when it has too many.
create index answered_request_by_organization on answered_request (organization_id, expire_time);
