use damabase_formats::table::*;
use damabase_formats::*;
use damabase_rules::*;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let id: VariantId = a[1].parse().unwrap();
    let n: u32 = a[2].parse().unwrap();
    let metrics: Vec<Metric> =
        a.get(3).map_or("wld", |x| x).split(',').map(|x| x.parse().unwrap()).collect();
    with_rules!(id,G=>{ let mut s=damabase_generator::planes::PlaneSolver::<G>::default(); let t0=Instant::now(); let mut total=0;
 for slice in Slice::closure(&Slice::with_pieces(n)) { let t=Instant::now(); let d=s.solve(slice,&metrics,&|_|true); let el=t.elapsed().as_secs_f64(); let mut p=0;
  for x in &d { p=x.counts().iter().map(|c|c.positions).sum(); if el>0.5 || n<=3 || slice.pieces()<=4 && slice.first().men+slice.second().men==0 {println!("{slice} {:?} max {} {:?}\n    {:?}",x.metric(),x.max_code(),x.counts(),x.statistics());} }
  total+=p; if el>0.5 {println!("{slice} {el:.2}s {:.1}M/s",p as f64/el/1e6);} }
 println!("total {total} in {:.2}s {:.1}M/s",t0.elapsed().as_secs_f64(), total as f64/t0.elapsed().as_secs_f64()/1e6);})
}
