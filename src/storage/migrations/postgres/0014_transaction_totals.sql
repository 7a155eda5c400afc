-- Processes of the release before: may run

-- The number of transactions by project and currency, and their revenue: captured transactions that are no tests. Units are
-- summed in two halves, so that no 64-bit sum overflows. Triggers keep the totals, which a summary would have to sum.
create table transaction_total (
  project_id text collate "C" not null,
  is_billed bigint not null, -- 1: with an id of the billing provider
  currency_code text collate "C" not null,
  count bigint not null,
  revenue_count bigint not null,
  high bigint not null, -- billions of units
  low bigint not null, -- the rest of the units
  nanos bigint not null,
  primary key (project_id, is_billed, currency_code)
);

-- Until the triggers are there, only writers wait.
lock table transaction_record in share row exclusive mode;
insert into transaction_total
  select project_id, (billing_transaction_id <> '')::int, currency_code, count(*), sum(is_revenue), sum(is_revenue * (units / 1000000000)),
    sum(is_revenue * (units % 1000000000)), sum(is_revenue * nanos)
  from transaction_record group by 1, 2, 3;

create function total_transactions() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    update transaction_total as total set
      count = total.count - gone.count, revenue_count = total.revenue_count - gone.revenue_count,
      high = total.high - gone.high, low = total.low - gone.low, nanos = total.nanos - gone.nanos
    from (
      select project_id, (billing_transaction_id <> '')::int as is_billed, currency_code, count(*) as count, sum(is_revenue) as revenue_count,
        sum(is_revenue * (units / 1000000000)) as high, sum(is_revenue * (units % 1000000000)) as low,
        sum(is_revenue * nanos) as nanos
      from removed group by 1, 2, 3
    ) as gone
    where total.project_id = gone.project_id and total.is_billed = gone.is_billed
      and total.currency_code = gone.currency_code;
    delete from transaction_total where count = 0 and project_id in (select project_id from removed);
  end if;
  if tg_op <> 'DELETE' then
    insert into transaction_total as total
      select project_id, (billing_transaction_id <> '')::int, currency_code, count(*), sum(is_revenue), sum(is_revenue * (units / 1000000000)),
        sum(is_revenue * (units % 1000000000)), sum(is_revenue * nanos)
      from added group by 1, 2, 3
    on conflict (project_id, is_billed, currency_code) do update set
      count = total.count + excluded.count, revenue_count = total.revenue_count + excluded.revenue_count,
      high = total.high + excluded.high, low = total.low + excluded.low, nanos = total.nanos + excluded.nanos;
  end if;
  return null;
end $$;
create trigger total_by_insert after insert on transaction_record
  referencing new table as added for each statement execute function total_transactions();
create trigger total_by_delete after delete on transaction_record
  referencing old table as removed for each statement execute function total_transactions();
create trigger total_by_update after update on transaction_record
  referencing old table as removed new table as added for each statement execute function total_transactions();
drop index transaction_record_revenue;
