//! Lloyd's k-means in the plane, without anything random.

/// A point of the plane.
pub(super) type Point = [f64; 2];

/// After so many rounds the clusters are taken as they are.
const ROUNDS: usize = 100;

/// More clusters would make a page cost too much.
pub(super) const MOST_CLUSTERS: u32 = 100;

/// So many centers on the line from the origin to a corner, at equal distances.
pub(super) fn centers(count: u32, corner: Point) -> Vec<Point> {
    let steps = f64::from(count.max(2) - 1);
    (0..count)
        .map(|number| corner.map(|end| end * f64::from(number) / steps))
        .collect()
}

/// The cluster of each point. `centers` are where the clusters begin. If `fixes_first`, the first center never moves.
///
/// A point that is as near to two centers belongs to the first of them. A cluster without points keeps its center.
pub(super) fn clusters(points: &[Point], centers: &mut [Point], fixes_first: bool) -> Vec<usize> {
    let mut of_points = vec![0; points.len()];
    // A point at a center that never moves stays there, and moves no other. Often most points are such.
    let stays = |point: &Point| fixes_first && centers.first() == Some(point);
    let mut others: Vec<(Point, usize)> = Vec::with_capacity(points.len());
    others.extend(
        points
            .iter()
            .filter(|point| !stays(point))
            .map(|point| (*point, usize::MAX)),
    );
    let places: Vec<usize> = (0..points.len()).filter(|at| !stays(&points[*at])).collect();
    let mut sums = Vec::with_capacity(centers.len());
    for _ in 0..ROUNDS {
        let mut changed = false;
        sums.clear();
        sums.resize(centers.len(), ([0.0, 0.0], 0.0));
        for (point, cluster) in &mut others {
            let nearest = nearest(point, centers);
            changed |= *cluster != nearest;
            *cluster = nearest;
            let (sum, count) = &mut sums[nearest];
            *count += 1.0;
            for axis in 0..2 {
                sum[axis] += point[axis];
            }
        }
        if !changed {
            break;
        }
        let moving = centers.iter_mut().zip(&sums).skip(usize::from(fixes_first));
        for (center, (sum, count)) in moving.filter(|(_, (_, count))| *count > 0.0) {
            *center = sum.map(|sum| sum / count);
        }
    }
    for (place, (_, cluster)) in places.into_iter().zip(others) {
        of_points[place] = cluster;
    }
    of_points
}

fn nearest(point: &Point, centers: &[Point]) -> usize {
    let (mut nearest, mut least) = (0, f64::INFINITY);
    for (number, center) in centers.iter().enumerate() {
        let square = square_distance(point, center);
        if square < least {
            (nearest, least) = (number, square);
        }
    }
    nearest
}

pub(super) fn square_distance(one: &Point, other: &Point) -> f64 {
    (one[0] - other[0]).powi(2) + (one[1] - other[1]).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_form_around_what_lies_together() {
        let points = [[0.0, 0.0], [1.0, 0.0], [9.0, 9.0], [10.0, 9.0]];
        let mut centers = [[0.0, 0.0], [1.0, 1.0]];
        assert_eq!(clusters(&points, &mut centers, false), [0, 0, 1, 1]);
        assert_eq!(centers, [[0.5, 0.0], [9.5, 9.0]]);
    }

    #[test]
    fn a_fixed_center_stays() {
        let mut centers = [[0.0, 0.0], [4.0, 0.0]];
        assert_eq!(clusters(&[[1.0, 0.0], [4.0, 0.0]], &mut centers, true), [0, 1]);
        assert_eq!(centers[0], [0.0, 0.0]);
    }

    #[test]
    fn there_may_be_fewer_points_than_clusters() {
        let mut centers = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]];
        assert_eq!(clusters(&[[2.0, 2.0]], &mut centers, false), [2]);
        assert_eq!(clusters(&[], &mut centers, false), [0_usize; 0]);
    }
}
